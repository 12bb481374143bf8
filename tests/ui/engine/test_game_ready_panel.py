"""The panel about a game-ready copy: what it says, by part of the body, and both previews."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from skinning_addon.measurement.profiles.copy_parts import parts_of
from skinning_addon.ui.engine.game_ready_preview import COPY, ORIGINAL
from skinning_addon.viewport.character.stale import Stale
from tests.command_line.rig_files import animated_rig
from tests.measurement.refit.keyed_limb import key_poses
from tests.scene.random_rig import RigOptions
from tests.scene.refit.evaluated import world_positions
from tests.ui.engine.made_data import show_all
from tests.ui.recorded_tab import recorded_tab

FRAMES = 12
PANEL = "SKINSCOPE_PT_game_ready"


@pytest.fixture
def limb(session):  # noqa: ARG001 - registers the operators
    rig = animated_rig(RigOptions(seed=3, influences=9, scale="none"))
    key_poses(rig, FRAMES)
    bpy.context.view_layer.objects.active = rig.mesh
    bpy.context.scene.skinscope.profiles.profile = "threejs"
    return rig


def made() -> bpy.types.Object:
    """The mesh of the copy, which keeps the largest weights."""
    assert bpy.ops.skinscope.game_ready_copy(fit_weights=False) == {"FINISHED"}
    show_all()
    return next(one for one in bpy.context.active_object.users_collection[0].objects if one.type == "MESH")


def test_the_figures_of_parts_are_those_of_their_vertices(limb, session):
    copy = made()
    result = session.checks.copies.of(bpy.context.scene.session_uid)
    names, which = parts_of(limb.mesh, limb.armature)
    off = np.zeros(len(which))
    for frame in range(1, FRAMES + 1):
        bpy.context.scene.frame_set(frame)
        off = np.maximum(off, np.linalg.norm(world_positions(copy) - world_positions(limb.mesh), axis=1))
    assert len(result.parts) == len({names[one] for one in which}) > 3
    for one in result.parts:
        of_part = np.isin(which, [number for number, name in enumerate(names) if name == one.part])
        # The engine itself is exact here: no vertex has more influences than it takes.
        assert one.after == pytest.approx(off[of_part].max(), rel=1e-4, abs=1e-6)
    afters = [one.after for one in result.parts]
    assert afters == sorted(afters, reverse=True)
    assert max(one.before for one in result.parts) == pytest.approx(result.before)
    assert max(afters) <= result.after + 1e-9


def test_vertices_go_to_the_bone_that_moves_them_most(limb):
    names, which = parts_of(limb.mesh, limb.armature)
    bones = {one.name for one in limb.armature.data.bones if one.use_deform}
    groups = {one.index: one.name for one in limb.mesh.vertex_groups}
    for vertex in limb.mesh.data.vertices:
        held = {groups[one.group]: one.weight for one in vertex.groups if groups[one.group] in bones}
        if held and max(held.values()) > 0:
            assert held[names[which[vertex.index]]] == max(held.values())
        else:
            assert names[which[vertex.index]] == "no bone"


def test_bones_without_a_name_in_words_go_by_their_smallest_collection(limb):
    bones = [one for one in limb.armature.data.bones if one.use_deform]
    everything, tail = (limb.armature.data.collections.new(name) for name in ("Everything", "Tail"))
    for one in bones:
        everything.assign(one)
    tail.assign(bones[0])
    tail.assign(bones[1])
    bones[2].name = "DEF-hand.L"
    names, _ = parts_of(limb.mesh, limb.armature)
    assert names[:4] == ("Tail", "Tail", "left hand", bones[3].name)


@pytest.mark.usefixtures("limb")
def test_the_panel_is_there_with_the_copy_and_shows_both_previews(session):
    assert PANEL not in recorded_tab()
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.skinscope.game_ready_copy("EXEC_DEFAULT", True, fit_weights=False)
    result = session.checks.copies.of(bpy.context.scene.session_uid)
    told = [one.text for one in recorded_tab()[PANEL].texts]
    assert "Off in three.js:" in told
    assert len([one for one in told if " to " in one]) == 6
    copy = next(one for one in result.collection.objects if one.type == "MESH")
    original = bpy.data.objects[result.names[1]]
    for which, mesh, other in ((ORIGINAL, original, copy), (COPY, copy, original)):
        assert bpy.ops.skinscope.game_ready_preview(which=which) == {"FINISHED"}
        assert session.preview_of(mesh) is not None
        assert session.preview_of(other) is None
    assert bpy.ops.skinscope.game_ready_preview(which=COPY) == {"FINISHED"}
    assert session.preview_of(copy) is None
    bpy.ops.ed.undo()
    assert PANEL not in recorded_tab()
    with pytest.raises(RuntimeError, match="Make a game-ready copy first"):
        bpy.ops.skinscope.game_ready_preview()


def test_only_the_copy_is_shown_and_undo_shows_the_original_again(limb):
    original, armature = limb.mesh.name, limb.armature.name
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.skinscope.game_ready_copy("EXEC_DEFAULT", True, fit_weights=False)
    shown = {one.name for one in bpy.context.scene.objects if one.visible_get()}
    assert not shown & {original, armature}
    assert shown >= {f"{original} game-ready", f"{armature} game-ready"}
    bpy.ops.ed.undo()
    assert all(bpy.data.objects[one].visible_get() for one in (original, armature))


def test_of_the_two_the_one_is_shown_that_is_previewed(limb, session):
    assert bpy.ops.skinscope.game_ready_copy(fit_weights=False) == {"FINISHED"}
    copy = next(one for one in bpy.context.active_object.users_collection[0].objects if one.type == "MESH")

    def drawn_by_blender() -> set[str]:
        bpy.context.view_layer.update()
        session.hide_meshes(bpy.context.scene, bpy.context.evaluated_depsgraph_get())
        hidden = session.hidden_meshes
        return {one.name for one in (limb.mesh, copy) if one.visible_get() and one.session_uid not in hidden}

    preview = bpy.ops.skinscope.game_ready_preview
    bpy.context.scene.skinscope.blender_mesh = "HIDDEN"
    assert drawn_by_blender() == {copy.name}
    preview(which=ORIGINAL)
    assert drawn_by_blender() == set()
    preview(which=ORIGINAL)
    assert drawn_by_blender() == {limb.mesh.name}
    preview(which=COPY)
    assert drawn_by_blender() == set()
    bpy.context.scene.skinscope.show_previews = False
    assert drawn_by_blender() == {copy.name}
    bpy.context.scene.skinscope.show_previews = True
    bpy.context.scene.skinscope.blender_mesh = "SHOWN"
    assert drawn_by_blender() == {limb.mesh.name}
    session.stop_all()
    assert drawn_by_blender() == {copy.name}


@pytest.mark.gpu
def test_a_copy_is_compared_with_the_original_as_blender_deforms_it(limb, session):
    """The judge is Blender's own evaluation of both, of which one is moved and turned."""
    copy = made()
    copy.location.x += 0.3
    copy.rotation_euler.z += 0.5
    assert bpy.ops.skinscope.game_ready_preview(which=COPY) == {"FINISHED"}
    preview = session.preview_of(copy)
    scene, layer = bpy.context.scene, (bpy.context.scene.session_uid, bpy.context.view_layer.name)
    for frame in (3, 8):
        scene.frame_set(frame)
        preview.mark(Stale.POSE)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        live = preview.follow(copy, depsgraph, layer)
        live._measured._pace.due = 0.0
        assert live.measure(copy, depsgraph)
        off = np.linalg.norm(world_positions(copy) - world_positions(limb.mesh), axis=1)
        assert off.max() > 1e-2
        assert live.figures.deviation.max == pytest.approx(off.max(), rel=1e-4)


def test_a_copy_whose_original_is_hidden_says_why_it_is_not_compared(limb, session):
    copy = made()
    assert bpy.ops.skinscope.game_ready_preview(which=COPY) == {"FINISHED"}
    preview, layer = session.preview_of(copy), (bpy.context.scene.session_uid, bpy.context.view_layer.name)
    limb.mesh.hide_set(True)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    live = preview.follow(copy, depsgraph, layer)
    live._reference.follow(1, live.frame, copy, depsgraph)
    assert live._reference.positions is None
    assert f"The original '{limb.mesh.name}' is hidden" in live._reference.problem
