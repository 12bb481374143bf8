"""Frames that are played from memory are Blender's own, and none that may differ is kept."""

from __future__ import annotations

import bpy
import pytest

from skinning_addon.core.blending.dense_blocks import DenseBlocks
from skinning_addon.core.blending.pass_layout import PassLayout
from skinning_addon.viewport.cached import posed_mesh
from skinning_addon.viewport.cached.aside import MARK, heal
from skinning_addon.viewport.cached.choices import CachedChoices
from tests.scene.opened_rigs import open_rig
from tests.scene.random_rig import RigOptions, random_rig
from tests.viewport.cached.recorded import FRAMES, assert_known_frames_are_blenders, bending_rig


def test_recorded_frames_are_blenders(mode, rig):
    mode.record()
    assert mode.known == FRAMES
    assert assert_known_frames_are_blenders(mode, [rig[1]]) == FRAMES


@pytest.mark.usefixtures("rig")
def test_while_it_plays_nothing_is_laid_out_for_proofs(mode, monkeypatch):
    """It would take longer than a frame: binding does it."""
    mode.cached.refresh()
    made = []
    monkeypatch.setattr(posed_mesh, "SoftwareSkinner", lambda *given: made.append(given))
    monkeypatch.setattr(PassLayout, "__init__", lambda *given: made.append(given))
    monkeypatch.setattr(DenseBlocks, "__init__", lambda *given, **_: made.append(given))
    mode.record()
    assert not made
    assert mode.known == FRAMES


def test_known_characters_step_aside_and_come_back_as_they_were(mode, rig):
    armature, body = rig
    body.select_set(True)
    armature.select_set(False)
    mode.record()
    mode.play()
    assert mode.cached.shown
    assert armature.hide_viewport
    assert body.hide_viewport
    assert MARK in armature
    assert MARK in body
    mode.stop()
    assert not armature.hide_viewport
    assert not body.hide_viewport
    assert body.select_get()
    assert not armature.select_get()
    assert MARK not in armature
    assert MARK not in body
    # Stepping aside is no edit.
    assert mode.known == FRAMES


def test_after_a_press_they_stay_until_blender_plays_again(mode, rig):
    mode.record()
    mode.play()
    assert rig[0].hide_viewport
    mode.cached.note_press()
    for frame in (2, 3, 4):
        bpy.context.scene.frame_set(frame)
        mode.fire()
        assert not rig[0].hide_viewport
    # What saves or renders brings them back for a moment only.
    mode.stop()
    mode.play()
    mode.cached.bring_back()
    bpy.context.scene.frame_set(2)
    mode.fire()
    assert rig[0].hide_viewport
    mode.stop()


def test_only_selected_characters_may_be_asked_for(mode, rig):
    other, _ = bending_rig()
    mode.choices = CachedChoices(is_on=True, selected_only=True)
    for one in bpy.context.scene.objects:
        one.select_set(one == rig[1])
    mode.record()
    mode.play()
    assert [one.name for one in mode.cached.shown] == [rig[0].name]
    assert rig[0].hide_viewport
    assert not other.hide_viewport
    mode.cached.step_aside()
    assert rig[0].hide_viewport
    mode.stop()
    rig[1].select_set(False)
    mode.play()
    assert not mode.cached.aside
    mode.stop()


def test_blender_evaluates_nothing_while_they_are_aside(mode, rig):
    mode.record()
    mode.play()
    bpy.context.scene.frame_set(3)
    evaluated = {one.original for one in bpy.context.evaluated_depsgraph_get().ids}
    mode.stop()
    assert evaluated.isdisjoint({*rig, *(one.data for one in rig)})


@pytest.mark.usefixtures("rig")
def test_unknown_frames_keep_characters_where_they_are(mode):
    mode.cached.refresh()
    bpy.context.scene.frame_set(2)
    mode.play()
    assert mode.known == 1
    assert not mode.cached.aside
    mode.stop()


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(lambda rig, _body: setattr(rig.pose.bones["lower"], "location", (0.2, 0, 0)), id="pose"),
        pytest.param(lambda rig, _body: setattr(rig, "location", (1, 0, 0)), id="object"),
        pytest.param(lambda rig, _body: move_key(rig), id="key"),
        pytest.param(
            lambda _rig, body: body.vertex_groups["upper"].add([0, 1], 0.1, "REPLACE"), id="weights"
        ),
        pytest.param(lambda _rig, body: move_vertex(body), id="vertex"),
        pytest.param(lambda _rig, body: setattr(body.modifiers[0], "vertex_group", "upper"), id="modifier"),
        pytest.param(lambda rig, _body: setattr(rig.data, "pose_position", "REST"), id="rest"),
        pytest.param(lambda rig, _body: setattr(rig.data.bones["upper"], "use_deform", False), id="bone"),
    ],
)
def test_no_frame_outlives_an_edit(mode, rig, edit):
    armature, body = rig
    mode.record()
    edit(armature, body)
    bpy.context.view_layer.update()
    assert mode.known == 0
    mode.record()
    assert assert_known_frames_are_blenders(mode, [body]) == FRAMES


def test_an_edit_that_blender_has_not_evaluated_yet_counts(mode, rig):
    armature, _body = rig
    mode.record()
    armature.pose.bones["lower"].location = (0.3, 0, 0)
    bpy.context.scene.frame_set(3)
    assert mode.known == 0
    mode.record()
    assert assert_known_frames_are_blenders(mode, [rig[1]]) == FRAMES


def move_key(armature: bpy.types.Object) -> None:
    from skinning_addon.scene.clips.actions import fcurves

    curve = next(iter(fcurves(armature.animation_data.action)))
    curve.keyframe_points[1].co.y += 0.4
    curve.update()
    armature.animation_data.action.update_tag()


def move_vertex(body: bpy.types.Object) -> None:
    body.data.vertices[0].co.x += 0.5
    body.data.update()


def test_selecting_a_bone_keeps_frames(mode, rig):
    armature, _body = rig
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="POSE")
    mode.record()
    bpy.ops.pose.select_all(action="DESELECT")
    bpy.context.view_layer.update()
    bpy.ops.pose.select_all(action="SELECT")
    bpy.context.view_layer.update()
    assert mode.known == FRAMES
    bpy.ops.object.mode_set(mode="OBJECT")


def evaluate_again(armature: bpy.types.Object) -> None:
    """What Blender does as it begins to play: the frame is evaluated once more, as if its time had changed."""
    armature.animation_data.action.update_tag()
    armature.update_tag(refresh={"OBJECT", "DATA", "TIME"})
    bpy.context.view_layer.update()


def test_beginning_to_play_keeps_frames(mode, rig):
    armature, _body = rig
    mode.record()
    mode.play()
    mode.stop()
    evaluate_again(armature)
    # Without the beginning it is an edit.
    assert mode.known == 0
    mode.record()
    mode.cached.note_playing(bpy.context.scene)
    mode.cached.bring_back()
    evaluate_again(armature)
    assert mode.known == FRAMES
    # The next one is an edit, and not the beginning.
    evaluate_again(armature)
    assert mode.known == 0


def test_an_edit_that_comes_with_the_beginning_counts(mode, rig):
    armature, body = rig
    mode.record()
    mode.cached.note_playing(bpy.context.scene)
    mode.cached.bring_back()
    armature.pose.bones["lower"].location = (0.3, 0, 0)
    evaluate_again(armature)
    assert mode.known == 0
    mode.record()
    assert assert_known_frames_are_blenders(mode, [body]) == FRAMES


def test_others_that_are_told_of_the_beginning_may_move_anything(mode, rig):
    armature, _body = rig

    def mover(*_: object) -> None:
        """Might move anything."""

    mode.record()
    bpy.app.handlers.animation_playback_pre.append(mover)
    try:
        mode.cached.note_playing(bpy.context.scene)
        mode.cached.bring_back()
    finally:
        bpy.app.handlers.animation_playback_pre.remove(mover)
    evaluate_again(armature)
    assert mode.known == 0


def test_a_target_that_a_bone_follows_counts(mode, rig):
    armature, _body = rig
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    armature.pose.bones["lower"].constraints.new("COPY_LOCATION").target = target
    bpy.context.view_layer.update()
    mode.record()
    assert mode.known == FRAMES
    target.location.x = 0.7
    bpy.context.view_layer.update()
    assert mode.known == 0


def test_a_relation_made_since_forgets_all(mode, rig):
    armature, _body = rig
    mode.record()
    follower = bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT"))
    bpy.context.scene.collection.objects.link(follower)
    follower.parent = armature
    mode.play()
    assert not mode.cached.aside
    mode.stop()
    mode.cached.refresh()
    assert "'Lamp' follows the rig" in mode.cached.cache.kept[0]


def driver_of(armature: bpy.types.Object, expression: str) -> None:
    driver = armature.pose.bones["lower"].driver_add("location", 0).driver
    driver.type, driver.expression = "SCRIPTED", expression


def build(body: bpy.types.Object) -> None:
    modifier = body.modifiers.new("Build", "BUILD")
    modifier.frame_start, modifier.frame_duration = -10, 30


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda rig, _body: driver_of(rig, "frame / 10"), "counts frames"),
        (lambda rig, _body: driver_of(rig, "len('abc')"), "runs Python"),
        (lambda _rig, body: body.modifiers.new("Cloth", "CLOTH"), "is simulated"),
        (lambda _rig, body: build(body), "its faces differ"),
        (lambda _rig, body: body.keyframe_insert("hide_viewport", frame=1), "appears and disappears"),
    ],
)
def test_what_differs_each_time_stays_blenders_and_is_named(mode, rig, change, reason):
    change(*rig)
    bpy.context.view_layer.update()
    # What fails while it is recorded is bound once more.
    for _ in range(2):
        mode.record()
    assert not mode.cached.cache.groups
    assert reason in mode.cached.cache.kept[0]
    mode.play()
    assert not mode.cached.aside


@pytest.mark.usefixtures("rig")
def test_a_foreign_handler_keeps_everything_blenders(mode, monkeypatch):
    monkeypatch.undo()

    def mover(*_: object) -> None:
        """Might move anything."""

    bpy.app.handlers.frame_change_pre.append(mover)
    try:
        mode.cached.refresh()
    finally:
        bpy.app.handlers.frame_change_pre.remove(mover)
    assert not mode.cached.cache.groups
    assert "runs at every frame" in mode.cached.cache.kept[0]


def test_previewed_characters_are_left_to_their_previews(mode, rig):
    mode.record()
    mode.previewed = [rig[1].session_uid]
    mode.play()
    assert not mode.cached.aside


@pytest.mark.usefixtures("rig")
def test_full_memory_says_so(mode):
    mode.megabytes = 0.0005
    mode.record()
    assert mode.cached.cache.is_full
    assert 0 < mode.known < FRAMES


@pytest.mark.usefixtures("rig")
def test_another_frame_rate_forgets_all(mode):
    mode.record()
    bpy.context.scene.render.frame_map_new = 200
    bpy.context.scene.frame_set(2)
    assert mode.known == 1
    bpy.context.scene.render.frame_map_new = 100


@pytest.mark.usefixtures("rig")
def test_what_was_saved_while_aside_is_healed(mode, tmp_path):
    mode.record()
    mode.play()
    file = str(tmp_path / "aside.blend")
    bpy.data.libraries.write(file, {bpy.context.scene})
    mode.stop()
    with bpy.data.libraries.load(file) as (there, here):
        here.scenes = there.scenes
    (loaded,) = here.scenes
    hidden = [one for one in loaded.objects if one.hide_viewport]
    assert len(hidden) == 2
    assert heal() == 2
    assert not any(one.hide_viewport or MARK in one for one in loaded.objects)


def test_random_rigs(mode):
    """Whatever a rig has: known frames are Blender's, or the rig is named."""
    made = [random_rig(RigOptions(seed=seed)) for seed in range(6)]
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 3
    mode.record()
    cache = mode.cached.cache
    assert len(cache.groups) + len(cache.kept) >= 1
    assert_known_frames_are_blenders(mode, [one.mesh for one in made])


@pytest.mark.rigs
@pytest.mark.parametrize(
    ("name", "skinned"), [("mpfb_rigify_plain.blend", 1), ("m2m_bird.blend", 1), ("raylib_robot.blend", 14)]
)
def test_real_rigs(mode, rigs_folder, name, skinned):
    open_rig(rigs_folder / name)
    mode.listen()
    scene = bpy.context.scene
    scene.frame_end = min(scene.frame_end, scene.frame_start + 9)
    # What opening a file leaves to be evaluated is no edit of what is known.
    scene.frame_set(scene.frame_start)
    mode.record()
    meshes = [one for one in scene.objects if one.type == "MESH"]
    assert mode.cached.cache.kept == ()
    assert assert_known_frames_are_blenders(mode, meshes) == 10 * skinned
