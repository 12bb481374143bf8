"""Changes rebuild only what depends on them, counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import bpy
import numpy as np
import pytest

from skinning_addon.core.blending.software_skinning import SoftwareSkinner
from skinning_addon.core.profiles.hierarchy import HierarchyRule
from skinning_addon.core.profiles.profile import BLENDER, Group, Profile
from skinning_addon.core.skinning.skeleton import Skeleton
from skinning_addon.scene.armatures import armature_reader
from skinning_addon.scene.binding import binding_reader, binding_signature
from skinning_addon.scene.binding import frame as posed_frames
from skinning_addon.scene.meshes import mesh_contents
from skinning_addon.scene.meshes.blender_result import read_blender_positions
from skinning_addon.viewport.layers import layer_key
from tests.scene.comparison import relative_distance
from tests.scene.random_rig import RandomRig, RigOptions, random_rig

COUNTED = {
    "mesh": (mesh_contents, "read_source_mesh"),
    "weights": (mesh_contents, "read_memberships"),
    "drawn mesh": (mesh_contents, "read_draw_mesh"),
    "corners": (mesh_contents, "read_corner_mesh"),
    "skin": (binding_reader, "skin_at"),
    "rest pose": (armature_reader, "read_armature"),
    "palette": (posed_frames, "palette_of"),
}
MESH = {"mesh": 1, "weights": 1, "drawn mesh": 1}
SKIN = {"skin": 1, "rest pose": 1}


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    counter: Counter[str] = Counter()

    def counted(name: str, function):
        def call(*args, **kwargs):
            counter[name] += 1
            return function(*args, **kwargs)

        return call

    for name, (module, function) in COUNTED.items():
        monkeypatch.setattr(module, function, counted(name, getattr(module, function)))
    return counter


@pytest.fixture
def rig() -> RandomRig:
    return random_rig(RigOptions(seed=3, envelopes=True, bendy=3))


CHANGES = {
    "nothing": ("pass", {}),
    "a pose": ("armature.pose.bones[0].location.x += 0.1", {"palette": 1}),
    "another frame": ("bpy.context.scene.frame_set(7)", {"palette": 1}),
    "both objects' place": ("armature.location.x += 1; mesh.location.x += 1", {"palette": 1}),
    "a bone that is hidden": ("armature.data.bones[0].hide = True", {"palette": 1}),
    "a bone that no longer deforms": ("armature.data.bones[0].use_deform = False", SKIN | {"palette": 1}),
    "segments": ("armature.data.bones[0].bbone_segments = 5", SKIN | {"palette": 1}),
    "mapping": ("armature.data.bones[0].bbone_mapping_mode = 'CURVED'", SKIN | {"palette": 1}),
    "a handle's type": ("armature.data.bones[0].bbone_handle_type_end = 'TANGENT'", SKIN | {"palette": 1}),
    "ease that follows scale": ("armature.data.bones[0].use_scale_easing = True", SKIN | {"palette": 1}),
    "scale of a handle": (
        "armature.data.bones[0].bbone_handle_use_scale_start = (True, False, False)",
        SKIN | {"palette": 1},
    ),
    "the shape of a pose": ("armature.pose.bones[0].bbone_curveinx = 0.4", {"palette": 1}),
    "an envelope": ("armature.data.bones[0].envelope_distance = 0.7", SKIN | {"palette": 1}),
    "weights": (
        "mesh.vertex_groups[0].add([0, 1], 0.3, 'REPLACE'); mesh.data.update()",
        MESH | SKIN | {"palette": 1},
    ),
    "coordinates": ("mesh.data.vertices[0].co.x += 1; mesh.data.update()", MESH | SKIN | {"palette": 1}),
    "another mesh": ("mesh.data = mesh.data.copy()", MESH | SKIN | {"palette": 1}),
}


STORED = replace(BLENDER, id="stored", group=Group.ENGINE, hierarchy=HierarchyRule.TRS)


@pytest.mark.parametrize("profile", [BLENDER, STORED], ids=["blender", "stored"])
@pytest.mark.parametrize("change", CHANGES)
def test_only_what_depends_on_a_change_is_built_again(
    session, rig: RandomRig, counts: Counter[str], change: str, profile: Profile
) -> None:
    preview = session.start(rig.mesh, bpy.context.evaluated_depsgraph_get())
    preview.skin_as(profile)
    follow_and_bind(preview, rig)
    counts.clear()
    code, expected = CHANGES[change]
    exec(code, {"bpy": bpy, "mesh": rig.mesh, "armature": rig.armature})  # noqa: S102
    follow_and_bind(preview, rig)
    assert dict(counts) == expected
    assert not preview.paused


@pytest.mark.parametrize("profile", [BLENDER, STORED], ids=["blender", "stored"])
def test_the_settings_of_bones_are_not_read_while_a_pose_plays(
    session, monkeypatch: pytest.MonkeyPatch, profile: Profile
) -> None:
    """Nor is the rest pose of the engine's hierarchy computed again."""
    rig = random_rig(RigOptions(seed=3))
    bone = rig.armature.pose.bones[0]
    for frame in (1, 9):
        bone.location.x = frame / 10
        bone.keyframe_insert("location", frame=frame)
    preview = session.start(rig.mesh, bpy.context.evaluated_depsgraph_get())
    preview.skin_as(profile)
    follow_and_bind(preview, rig)
    bpy.context.scene.frame_set(2)
    follow_and_bind(preview, rig)
    read = []
    monkeypatch.setattr(binding_signature, "_bones_signature", read.append)
    computed = []
    to_parent = Skeleton.to_parent
    monkeypatch.setattr(Skeleton, "to_parent", lambda *given: computed.append(1) or to_parent(*given))
    for frame in range(3, 6):
        bpy.context.scene.frame_set(frame)
        follow_and_bind(preview, rig)
    assert not read
    assert len(computed) == (0 if profile is BLENDER else 3)


def follow_and_bind(preview, rig: RandomRig):
    """What the draw handler does, then the timer, then the draw handler again; the palette once, when it is
    drawn.
    """
    bpy.context.view_layer.update()
    depsgraph = bpy.context.view_layer.depsgraph
    layer = layer_key(bpy.context.scene, bpy.context.view_layer)
    preview.follow(rig.mesh, depsgraph, layer)
    if preview.wanted_in:
        preview._binding_pace.due = 0.0
        preview.bind_if_needed(rig.mesh, depsgraph)
    live = preview.follow(rig.mesh, depsgraph, layer)
    assert live._frame.palettes
    return live._frame


BENDING = {
    name: CHANGES[name][0]
    for name in ("segments", "mapping", "ease that follows scale", "the shape of a pose")
} | {
    "another handle": "bone = armature.data.bones[0]; bone.bbone_handle_type_end = 'TANGENT'; "
    "bone.bbone_custom_handle_end = armature.data.bones[5]",
    "fewer segments": "armature.data.bones[0].bbone_segments = 1",
}


@pytest.mark.parametrize("change", BENDING)
def test_bendy_bones_changed_while_previewing_are_drawn_as_blender_bends_them(
    session, rig: RandomRig, change: str
) -> None:
    preview = session.start(rig.mesh, bpy.context.evaluated_depsgraph_get())
    follow_and_bind(preview, rig)
    exec(BENDING[change], {"armature": rig.armature})  # noqa: S102
    frame = follow_and_bind(preview, rig)
    skinned = SoftwareSkinner(frame.chain, preview.binding.mesh).skin(frame.palettes)
    assert relative_distance(rig.mesh, skinned.positions) <= 1e-5


VANISHING = {
    "its group": "mesh.vertex_groups.remove(mesh.vertex_groups['mask'])",
    "its name": "mesh.vertex_groups['mask'].name = 'no longer'; mesh.modifiers[0].vertex_group = 'mask'",
    "every group": "mesh.vertex_groups.clear()",
}


@pytest.mark.parametrize("inverted", [False, True])
@pytest.mark.parametrize("change", VANISHING)
def test_a_mask_that_vanishes_while_previewing_masks_no_more_than_in_blender(
    session, change: str, inverted: bool
) -> None:
    rig = random_rig(RigOptions(seed=3, mask=True, invert_mask=inverted))
    preview = session.start(rig.mesh, bpy.context.evaluated_depsgraph_get())
    masked = follow_and_bind(preview, rig)
    assert preview.binding.passes[0].amount is not None
    before = SoftwareSkinner(masked.chain, preview.binding.mesh).skin(masked.palettes).positions
    exec(VANISHING[change], {"mesh": rig.mesh})  # noqa: S102
    # 4.2 does not notice by itself.
    rig.mesh.update_tag()
    frame = follow_and_bind(preview, rig)
    after = SoftwareSkinner(frame.chain, preview.binding.mesh).skin(frame.palettes).positions
    assert relative_distance(rig.mesh, after) <= 1e-5
    assert relative_distance(rig.mesh, before) > 0.01
    assert not preview.paused


def deviation_from_blender(preview, rig: RandomRig) -> float:
    """How far what was read last lies from Blender's own mesh, relative to the size of the mesh at rest."""
    live = preview.mesh_in_layer(layer_key(bpy.context.scene, bpy.context.view_layer))
    skinned = live.surface.positions(live._frame)
    blender = read_blender_positions(rig.mesh, bpy.context.evaluated_depsgraph_get(), len(skinned))
    return float(np.abs(skinned - blender).max()) / live.binding.mesh.diagonal


@pytest.fixture
def playing_shape() -> RandomRig:
    """A rig whose shape key goes from 0 to 1 between the frames 1 and 20, before the armature acts."""
    rig = random_rig(RigOptions(seed=3))
    rig.mesh.shape_key_add(name="Basis")
    key = rig.mesh.shape_key_add(name="Bulge")
    for point in key.data:
        point.co *= 1.5
    for frame, value in ((1, 0.0), (20, 1.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)
    return rig


def test_a_shape_that_plays_sends_nothing_but_positions(
    session, playing_shape: RandomRig, counts: Counter[str]
) -> None:
    rig = playing_shape
    bpy.context.scene.frame_set(1)
    preview = session.start(rig.mesh, bpy.context.evaluated_depsgraph_get())
    follow_and_bind(preview, rig)
    # The first movement has everything read once more, with a vertex for each corner.
    bpy.context.scene.frame_set(2)
    follow_and_bind(preview, rig)
    live = preview.mesh_in_layer(layer_key(bpy.context.scene, bpy.context.view_layer))
    counts.clear()
    for frame in range(3, 13):
        bpy.context.scene.frame_set(frame)
        follow_and_bind(preview, rig)
        assert deviation_from_blender(preview, rig) < 1e-5
    assert preview.mesh_in_layer(layer_key(bpy.context.scene, bpy.context.view_layer)) is live
    assert dict(counts) == {"palette": 10}


@pytest.mark.parametrize("change", ["levels that play", "weights that play"])
def test_a_mesh_with_changes_other_than_movement_is_read_again(
    session, playing_shape: RandomRig, counts: Counter[str], change: str
) -> None:
    rig = playing_shape
    if change == "weights that play":
        modifier = rig.mesh.modifiers.new("Weights", "VERTEX_WEIGHT_EDIT")
        modifier.vertex_group = rig.mesh.vertex_groups[0].name
    else:
        modifier = rig.mesh.modifiers.new("Split", "SUBSURF")
        for frame, levels in ((1, 0), (7, 1)):
            modifier.levels = levels
            modifier.keyframe_insert("levels", frame=frame)
    rig.mesh.modifiers.move(len(rig.mesh.modifiers) - 1, 0)
    preview = session.start(rig.mesh, bpy.context.evaluated_depsgraph_get())
    for frame in (1, 2, 3):
        bpy.context.scene.frame_set(frame)
        follow_and_bind(preview, rig)
    counts.clear()
    bpy.context.scene.frame_set(7)
    follow_and_bind(preview, rig)
    assert counts["weights"] == counts["mesh"] == 1
    assert deviation_from_blender(preview, rig) < 1e-5


def test_a_shape_that_a_bone_drives_sends_nothing_but_positions_and_edits_are_still_seen(
    session, playing_shape: RandomRig, counts: Counter[str]
) -> None:
    rig = playing_shape
    keys = rig.mesh.data.shape_keys
    keys.animation_data_clear()
    driver = keys.key_blocks["Bulge"].driver_add("value").driver
    driver.type = "SUM"
    target = driver.variables.new()
    target.type = "TRANSFORMS"
    bone = rig.armature.pose.bones[0]
    target.targets[0].id, target.targets[0].bone_target = rig.armature, bone.name
    preview = session.start(rig.mesh, bpy.context.evaluated_depsgraph_get())
    for place in (0.1, 0.2):
        bone.location.x = place
        follow_and_bind(preview, rig)
    counts.clear()
    bone.location.x = 0.5
    follow_and_bind(preview, rig)
    assert deviation_from_blender(preview, rig) < 1e-5
    assert dict(counts) == {"palette": 1}
    rig.mesh.vertex_groups[0].add([0, 1, 2], 0.3, "REPLACE")
    follow_and_bind(preview, rig)
    assert counts["weights"] == 1
    assert deviation_from_blender(preview, rig) < 1e-5


@pytest.mark.parametrize("kept", [False, True], ids=["plain", "normals"])
def test_a_simplified_scene_comes_to_rest_and_edits_are_still_seen(
    session, rig: RandomRig, *, kept: bool
) -> None:
    """Blender recomputes all meshes if the copies' scene is simplified like the user's."""
    render = bpy.context.scene.render
    render.use_simplify, render.simplify_subdivision = True, 0
    if kept and hasattr(render, "use_simplify_normals"):
        render.use_simplify_normals = True
    rig.mesh.modifiers.new("Before", "CAST").factor = 0.2
    rig.mesh.modifiers.move(len(rig.mesh.modifiers) - 1, 0)
    rig.mesh.modifiers.new("Behind", "SUBSURF").levels = 2
    view_layer = bpy.context.view_layer
    view_layer.update()
    layer = layer_key(bpy.context.scene, view_layer)
    preview = session.start(rig.mesh, bpy.context.evaluated_depsgraph_get())

    def turns_to_rest() -> int:
        for turn in range(10):
            view_layer.update()
            preview.follow(rig.mesh, view_layer.depsgraph, layer)
            if preview.wanted_in is None:
                return turn
            preview._binding_pace.due = 0.0
            session.postponed.bind_previews()
        raise AssertionError("the preview is bound again for ever")

    assert turns_to_rest() <= 2
    rig.mesh.data.vertices[0].co.x += 0.5
    rig.mesh.data.update()
    before = preview.binding
    assert turns_to_rest() <= 2
    assert preview.binding is not before
    stack = rig.mesh.modifiers
    stack.remove(stack["Behind"])
    view_layer.update()
    # What is drawn came from a copy; Blender's own mesh, now that nothing stands behind the armature, is the
    # judge.
    live = preview.mesh_in_layer(layer)
    skinned = SoftwareSkinner(live._frame.chain, live.binding.mesh).skin(live._frame.palettes)
    assert relative_distance(rig.mesh, skinned.positions) <= 1e-5
