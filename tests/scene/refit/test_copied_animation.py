"""What animates a copy's mesh and its shape keys is the copy's own: the original stays as it is."""

from __future__ import annotations

from collections.abc import Iterator

import bpy
import numpy as np
import pytest

from skinning_addon.scene.clips.actions import fcurves
from skinning_addon.scene.clips.clips import find_clips, list_clips
from skinning_addon.scene.refit.game_ready_copy import make_copy, remove_copy
from tests.command_line.rig_files import animated_rig
from tests.scene.random_rig import RigOptions
from tests.scene.refit.evaluated import world_positions
from tests.scene.refit.planning import copied, planned

BLOCKS = ("object", "mesh", "keys")
PATHS = {"object": "location", "mesh": '["mood"]', "keys": 'key_blocks["Smile"].value'}


def blocks_of(mesh: bpy.types.Object) -> dict[str, bpy.types.ID]:
    return {"object": mesh, "mesh": mesh.data, "keys": mesh.data.shape_keys}


@pytest.fixture
def face() -> bpy.types.Object:
    """A mesh that moves, with a keyed property, a shape key that plays an action also on a track, and one that
    follows the property.
    """
    rig = animated_rig(RigOptions(seed=3, scale="none"))
    mesh = rig.mesh
    mesh.data["mood"] = 0.0
    mesh.shape_key_add(name="Basis")
    for name in ("Smile", "Cheeks"):
        mesh.shape_key_add(name=name)
        for point in mesh.data.shape_keys.key_blocks[name].data:
            point.co.x += 0.1
    for name, block in blocks_of(mesh).items():
        for frame in (1, 4):
            if name == "object":
                mesh.location.x = frame / 10
            elif name == "mesh":
                mesh.data["mood"] = frame / 10
            else:
                block.key_blocks["Smile"].value = frame / 10
            block.keyframe_insert(PATHS[name], frame=frame)
    keys = mesh.data.shape_keys
    keys.animation_data.action.name = "Face"
    strip = keys.animation_data.nla_tracks.new().strips.new("Face", 1, keys.animation_data.action)
    if hasattr(strip, "action_slot"):
        strip.action_slot = keys.animation_data.action_slot
    keys.animation_data.nla_tracks[0].mute = True
    driver = keys.key_blocks["Cheeks"].driver_add("value").driver
    variable = driver.variables.new()
    variable.targets[0].id_type = "MESH"
    variable.targets[0].id = mesh.data
    variable.targets[0].data_path = PATHS["mesh"]
    driver.expression = variable.name
    return mesh


def played(block: bpy.types.ID) -> Iterator[bpy.types.Action]:
    yield block.animation_data.action
    for track in block.animation_data.nla_tracks:
        for strip in track.strips:
            yield strip.action


def smiles(mesh: bpy.types.Object) -> list[tuple[float, float]]:
    """What the shape keys come to in Blender at some frames."""
    found = []
    for frame in (1, 2, 4):
        bpy.context.scene.frame_set(frame)
        keys = mesh.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.shape_keys
        found.append(tuple(round(keys.key_blocks[name].value, 5) for name in ("Smile", "Cheeks")))
    return found


def edit(block: bpy.types.ID) -> None:
    """Move all keys of what a block plays."""
    for curve in fcurves(block.animation_data.action):
        for point in curve.keyframe_points:
            point.co.y += 0.25
        curve.update()


def test_keys_of_the_copy_are_edited_without_the_original(face):
    _, meshes = copied(planned(face.parent or face.modifiers[0].object, [face]))
    (copy,) = meshes.values()
    before = smiles(face)
    assert smiles(copy) == before
    assert len(set(before)) == 3
    for name in BLOCKS:
        own, original = (set(played(blocks_of(one)[name])) for one in (copy, face))
        assert len(own) == len(original) == 1
        assert not own & original
        edit(blocks_of(copy)[name])
    assert smiles(face) == before
    # The driven key follows the copy's own property.
    assert np.allclose(smiles(copy), np.array(before) + 0.25)
    x = face.location.x
    assert copy.location.x == pytest.approx(x + 0.25)


@pytest.mark.skipif(not hasattr(bpy.types, "ActionSlot"), reason="this Blender has no slots")
def test_slots_are_kept(face):
    _, meshes = copied(planned(face.parent or face.modifiers[0].object, [face]))
    (copy,) = meshes.values()
    for name in BLOCKS:
        own, original = (blocks_of(one)[name].animation_data for one in (copy, face))
        assert own.action_slot.identifier == original.action_slot.identifier
        assert own.action_slot.target_id_type == original.action_slot.target_id_type
    (strip,) = copy.data.shape_keys.animation_data.nla_tracks[0].strips
    assert strip.action_slot == copy.data.shape_keys.animation_data.action_slot
    assert list(strip.action.slots) == [strip.action_slot]


@pytest.mark.skipif(not hasattr(bpy.types, "ActionSlot"), reason="this Blender has no slots")
def test_of_an_action_that_moves_the_armature_too_only_the_keys_are_copied(face):
    armature = face.parent or face.modifiers[0].object
    shared = armature.animation_data.action
    keys = face.data.shape_keys.animation_data
    keys.nla_tracks.remove(keys.nla_tracks[0])
    slot = shared.slots.new("KEY", "Face")
    bag = shared.layers[0].strips[0].channelbag(slot, ensure=True)
    curve = bag.fcurves.new(PATHS["keys"])
    curve.keyframe_points.insert(1, 0.5)
    keys.action = shared
    keys.action_slot = slot
    _, meshes = copied(planned(armature, [face]))
    (copy,) = meshes.values()
    own = copy.data.shape_keys.animation_data
    assert [(one.target_id_type, one.name_display) for one in own.action.slots] == [("KEY", "Face")]
    assert [one.data_path for one in fcurves(own.action)] == [PATHS["keys"]]
    assert smiles(copy) == smiles(face)
    assert {one for one, _ in smiles(face)} == {0.5}


def test_taken_away_again_it_leaves_nothing(face):
    before = {one.name for one in bpy.data.actions}
    collection = make_copy(planned(face.parent or face.modifiers[0].object, [face]).plan, bpy.context)
    assert len(bpy.data.actions) == len(before) + 4
    remove_copy(collection)
    assert {one.name for one in bpy.data.actions} == before


@pytest.mark.parametrize("with_slot", [True, False])
def test_an_armatures_action_on_a_mesh_becomes_no_clip(with_slot: bool):
    """Importers leave them there; its curves of bones move nothing on a mesh."""
    rig = animated_rig(RigOptions(seed=3, scale="none"))
    data = rig.mesh.animation_data_create()
    data.action = rig.armature.animation_data.action
    if hasattr(data, "action_slot"):
        data.action_slot = rig.armature.animation_data.action_slot if with_slot else None
    before = {one.name for one in list_clips(bpy.context.scene, [rig.armature])}
    plan = planned(rig.armature, [rig.mesh])
    _, meshes = copied(plan)
    assert {one.name for one in list_clips(bpy.context.scene, [rig.armature])} == before
    action = meshes[rig.mesh.name].animation_data.action
    assert action != data.action
    assert not any(one.data_path.startswith("pose.") for one in (fcurves(action) if action else ()))
    assert any(one.data_path.startswith("pose.") for one in fcurves(data.action))


@pytest.mark.parametrize("moved", [0, 3], ids=["where it is keyed", "later"])
def test_a_copy_shows_what_the_only_strip_of_its_original_does(moved: int):
    rig = animated_rig(RigOptions(seed=3, scale="none"))
    data = rig.armature.animation_data
    action = data.action
    strip = data.nla_tracks.new().strips.new("Strip", int(action.frame_range[0]), action)
    if hasattr(strip, "action_slot"):
        strip.action_slot = data.action_slot
    strip.frame_end += moved
    strip.frame_start += moved
    data.action = None
    plan = planned(rig.armature, [rig.mesh], find_clips(bpy.context.scene, [action.name], [rig.armature]))
    armature, meshes = copied(plan)
    if moved:
        # At no frame does any clip of the copy look like that.
        assert armature.animation_data.action is None
        return
    for frame in (1, 4):
        bpy.context.scene.frame_set(frame)
        off = world_positions(rig.mesh) - world_positions(meshes[rig.mesh.name])
        assert np.abs(off).max() < 1e-4
    assert armature.animation_data.action is not None
