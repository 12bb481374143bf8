"""Which operators are undo steps: those that change the user's data, and no others.

docs/architecture.md has the table. What an operator changes is read from Blender's own properties.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path

import bpy
import pytest

from skinning_addon.scene.identification import object_in
from skinning_addon.ui.engine.finding_operators import finding_in_focus
from skinning_addon.ui.registration import CLASSES
from skinning_addon.ui.settings.animation_settings import animation_settings
from skinning_addon.ui.settings.profile_settings import finding_rows, shown_alone
from skinning_addon.ui.settings.properties import scene_settings
from skinning_addon.ui.undone import follow_undo
from tests.command_line.rig_files import animated_rig
from tests.installed_package import CHECKOUT
from tests.scene.random_rig import RigOptions
from tests.ui.tracks.move_script import MOVE
from tests.windowed.file_record import walk, written_down

ROW = re.compile(r"^\| `skinscope\.(\w+)` \| (step|own step|no step) \|", re.MULTILINE)
UNFLAGGED = {"own step", "no step"}

OPERATORS = {one.bl_idname.split(".")[1]: one for one in CLASSES if issubclass(one, bpy.types.Operator)}

ELSEWHERE = {
    # Need a window; tests/windowed has them.
    "frame_worst_vertex", "inspect", "split_move", "flicker", "display_preset_apply", "tell",
    "cached_playback_forget", "cached_playback_record", "cached_playback_stop_recording",
    "cached_playback_listen", "cached_playback_watch", "crowd_control", "crowd_refresh",
    # Start other processes, or need an export; tests/ui has them, with what they change.
    "clips_from_file", "export_check", "export_jump", "exporter_settings_take", "finding_export",
    # Need something to mend; tests/ui/engine/test_fix_operators.py.
    "fix_groups", "fix_normalise", "fix_scale", "fix_stray", "fix_accept",
    # Likewise; tests/ui/engine/test_playback_fixes.py.
    "fix_constraints", "fix_keys", "fix_names",
    # Calls one of these; opens a page in the browser; read and write files.
    "verdict_fix", "profile_evidence", "finding_page", "display_preset_import", "display_preset_export",
    "bone_texture",
}  # fmt: skip


def table() -> dict[str, str]:
    text = (CHECKOUT / "docs" / "architecture.md").read_text(encoding="utf-8")
    return dict(ROW.findall(text))


def test_the_table_has_every_operator_with_the_step_that_blender_makes_of_it():
    steps = table()
    assert set(steps) == set(OPERATORS)
    flagged = {name for name, one in OPERATORS.items() if one.bl_options & {"UNDO", "UNDO_GROUPED"}}
    assert flagged == {name for name, step in steps.items() if step not in UNFLAGGED}


def everything() -> dict[str, list[str]]:
    """All that is saved with the file, with the extension's own settings."""
    with warnings.catch_warnings():
        # Some of Blender's own properties are deprecated.
        warnings.simplefilter("ignore")
        blocks = written_down()
        for one in bpy.data.scenes:
            blocks[f"settings of {one.name}"] = list(walk(scene_settings(one), "", 0))
        for one in bpy.data.objects:
            # Until a clip is chosen, these two say which are first in the list.
            blocks[f"settings of {one.name}"] = [
                line
                for line in walk(animation_settings(one), "", 0)
                if not line.startswith((".first ", ".second "))
            ]
        blocks["eyes"] = [one.name for one in bpy.context.view_layer.objects if one.hide_get()]
    return blocks


def changes(name: str, /, **settings: object) -> bool:
    before = everything()
    assert getattr(bpy.ops.skinscope, name)(**settings) == {"FINISHED"}, name
    return everything() != before


def choose_finding(fits: Callable[[], bool]) -> None:
    """Make a finding active whose operator can run."""
    rows = finding_rows(bpy.context)
    for number in range(len(rows.rows)):
        rows.active = number
        if fits():
            return
    raise AssertionError("no finding fits")


def test_steps_change_the_users_data_and_nothing_else_does(session, tmp_path: Path):
    rig = animated_rig(RigOptions(influences=8, scale="none"))
    view_layer, scene = bpy.context.view_layer, bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 4
    scene_settings(scene).profiles.profile = "threejs"
    # A start fits what was left untouched to the character; after undo that is done again.
    for setting in ("distance", "threshold", "viewer_distance"):
        setattr(scene_settings(scene), setting, 0.01)
    view_layer.objects.active = rig.armature
    rig.armature.data.bones.active = rig.armature.data.bones[0]
    rig.armature.select_set(True)
    (tmp_path / "move.toml").write_text(
        MOVE.replace("Bend", "Sway").replace("Lean", "Sway"), encoding="utf-8"
    )
    seen: dict[str, bool] = {}

    def see(name: str, /, **settings: object) -> None:
        seen[name] = changes(name, **settings) or seen.get(name, False)

    for name in ("clips_refresh", "clips_bake", "clip_loop", "mixer_play", "mixer_fade", "mixer_stop"):
        see(name)
    see("track_add")
    for name in ("script_play", "script_rewind", "track_key_add", "track_key_remove"):
        see(name)
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.pose.select_all(action="SELECT")
    see("track_mask")
    bpy.ops.object.mode_set(mode="OBJECT")
    see("script_save", filepath=str(tmp_path / "saved.toml"))
    see("track_remove")
    see("script_load", filepath=str(tmp_path / "move.toml"))
    for name in ("preview_stop", "preview_start", "copy_matrices", "preview_toggle", "preview_toggle"):
        see(name)
    see("cached_playback_toggle")
    bpy.ops.skinscope.cached_playback_toggle()
    see("crowd_toggle")
    scene.skinscope.crowd.inputs = "[]"
    see("crowd_forget_steering")
    see("crowd_variant_add")
    see("crowd_variant_mesh", mesh="Body")
    see("crowd_variant_remove")
    bpy.ops.skinscope.crowd_toggle()
    session.inspection.pinned = session.inspection.pinned or object()
    see("inspect_clear")
    see("display_preset_add", name="Steps")
    bpy.ops.skinscope.display_preset_add(name="Steps", remove_name=True)

    view_layer.objects.active = rig.mesh
    see("profile_check")
    scene.frame_set(1)
    see("profile_jump")
    scene.frame_set(1)
    choose_finding(lambda: bpy.ops.skinscope.finding_jump.poll() and finding_in_focus(bpy.context).frame != 1)
    see("finding_jump")
    choose_finding(bpy.ops.skinscope.finding_show.poll)
    see("finding_show")
    choose_finding(bpy.ops.skinscope.finding_suppress.poll)
    see("finding_suppress", reason="As it should be")
    see("finding_count")
    see("fix_influences")
    choose_finding(bpy.ops.skinscope.finding_select.poll)
    assert object_in(scene, finding_in_focus(bpy.context).object) == rig.mesh
    see("finding_select")
    bpy.ops.object.mode_set(mode="OBJECT")
    see("select_deviating", threshold=1e-9)
    bpy.ops.object.mode_set(mode="OBJECT")
    see("game_ready_copy")
    # The first only stops the original's preview, which runs.
    see("game_ready_preview", which="ORIGINAL")
    see("game_ready_preview", which="ORIGINAL")

    assert set(seen) | ELSEWHERE == set(OPERATORS)
    assert set(seen).isdisjoint(ELSEWHERE)
    steps = table()
    wrong = {name: changed for name, changed in seen.items() if changed != (steps[name] != "no step")}
    assert wrong == {}


@pytest.fixture
def rig(session):  # noqa: ARG001 - registers the operators
    rig = animated_rig(RigOptions(influences=8, scale="none"))
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 4
    scene_settings(bpy.context.scene).profiles.profile = "threejs"
    bpy.context.view_layer.objects.active = rig.mesh
    rig.mesh.select_set(True)
    return rig


def undo(step: str = "undo") -> bpy.types.Scene:
    getattr(bpy.ops.ed, step)()
    follow_undo()
    return bpy.context.scene


@pytest.mark.usefixtures("rig")
def test_a_cause_that_was_shown_alone_is_undone_whole():
    bpy.ops.skinscope.profile_check()
    choose_finding(bpy.ops.skinscope.finding_show.poll)
    bpy.ops.ed.undo_push(message="Before")
    bpy.ops.skinscope.finding_show("EXEC_DEFAULT", True)
    shown = shown_alone(bpy.context.scene)
    assert shown
    scene = undo()
    assert (shown_alone(scene), scene_settings(scene).display) == ("", "SHADED")
    scene = undo("redo")
    assert (shown_alone(scene), scene_settings(scene).display) == (shown, "DEVIATION")


@pytest.mark.usefixtures("rig")
def test_undo_of_an_engine_lists_the_findings_of_the_one_that_came_back():
    bpy.ops.skinscope.profile_check()
    first = finding_in_focus(bpy.context)
    finding_rows(bpy.context).active = 1
    assert finding_in_focus(bpy.context) not in {first, None}
    bpy.ops.ed.undo_push(message="Checked")
    scene_settings(bpy.context.scene).profiles.profile = "blender"
    bpy.ops.ed.undo_push(message="Engine")
    assert finding_in_focus(bpy.context) is None
    undo()
    assert finding_in_focus(bpy.context) == first
    # An undo that changes no engine leaves the chosen finding as it is.
    finding_rows(bpy.context).active = 1
    bpy.context.scene.frame_set(3)
    bpy.ops.ed.undo_push(message="Frame")
    undo()
    assert finding_rows(bpy.context).active == 1


@pytest.mark.usefixtures("rig")
def test_undo_past_the_start_of_a_preview_keeps_what_fits_the_character(session):
    bpy.ops.ed.undo_push(message="Before")
    bpy.ops.skinscope.preview_start()
    names = ("distance", "threshold", "viewer_distance")
    fitted = [getattr(scene_settings(bpy.context.scene), name) for name in names]
    bpy.context.scene.frame_set(3)
    bpy.ops.ed.undo_push(message="Frame")
    settings = scene_settings(undo())
    assert [getattr(settings, name) for name in names] == fitted
    assert session.running


def test_showing_what_was_hidden_is_a_step(rig, session):
    settings = scene_settings(bpy.context.scene)
    settings.show_previews = False
    bpy.ops.ed.undo_push(message="Hide")
    bpy.ops.skinscope.preview_start()
    assert settings.show_previews
    rig.armature.location.x = 1
    bpy.ops.ed.undo_push(message="Move")
    assert scene_settings(undo()).show_previews
    assert not scene_settings(undo()).show_previews
    assert session.running


def test_a_mixer_goes_at_the_speed_that_undo_brings_back(rig, session):
    bpy.context.view_layer.objects.active = rig.armature
    bpy.ops.skinscope.mixer_play()
    bpy.ops.ed.undo_push(message="Before")
    player = session.players.of(rig.armature)
    animation_settings(rig.armature).speed = 2.0
    session.players.tick()
    bpy.ops.ed.undo_push(message="Speed")
    for step, speed in (("undo", 1.0), ("redo", 2.0)):
        undo(step)
        session.players.tick()
        before = float(player.controller.position(0)[0])
        player.controller.advance(0.0625)
        # The clip loops.
        passed = (float(player.controller.position(0)[0]) - before) % player.controller.clips[0].duration
        assert passed == pytest.approx(0.0625 * speed)


def test_clips_baked_with_what_was_undone_are_baked_again(rig, session):
    bpy.context.view_layer.objects.active = rig.armature
    bpy.ops.ed.undo_push(message="Before")
    animation_settings(rig.armature).reduction = 0.01
    bpy.ops.ed.undo_push(message="Reduce")
    bpy.ops.skinscope.clips_bake()
    assert session.players.baked_of(rig.armature)
    undo()
    assert not session.players.baked_of(bpy.context.active_object)


def test_undo_after_a_jump_undoes_the_last_edit_and_stays_at_the_frame(rig, session):
    scene = bpy.context.scene
    scene.frame_set(1)
    bpy.ops.skinscope.profile_check()
    bpy.ops.ed.undo_push(message="Before")
    rig.mesh.location.x = 3
    bpy.ops.ed.undo_push(message="Edit")
    bpy.ops.skinscope.profile_jump("EXEC_DEFAULT", True)
    frame = scene.frame_current
    assert frame != 1
    scene = undo()
    assert (bpy.context.active_object.location.x, scene.frame_current) == (0, frame)
    scene = undo("redo")
    assert (bpy.context.active_object.location.x, scene.frame_current) == (3, frame)
    # At once: Blender draws before its timers fire.
    bpy.ops.ed.undo()
    assert bpy.context.scene.frame_current == frame
    bpy.ops.ed.redo()
    assert bpy.context.scene.frame_current == frame
    follow_undo()
    assert undo().frame_current == frame
    scene = undo("redo")
    # Not once the user has gone elsewhere.
    scene.frame_set(frame - 1)
    assert undo().frame_current == 1
    assert session.jumped_to is None


def test_a_jump_that_poses_the_armature_is_undone_whole(rig, session):  # noqa: ARG001
    scene = bpy.context.scene
    scene_settings(scene).profiles.scanned = "CLIPS"
    rig.armature.animation_data.action.use_fake_user = True
    bpy.ops.skinscope.profile_check()
    rig.armature.animation_data.action = None
    bone = rig.armature.pose.bones[0]
    bone.location.x = 0.5
    scene.frame_set(1)
    bpy.ops.ed.undo_push(message="Posed")
    bpy.ops.skinscope.profile_jump("EXEC_DEFAULT", True)
    assert rig.armature.animation_data.action is not None
    scene = undo()
    armature = bpy.data.objects["Random"]
    assert armature.animation_data.action is None
    assert (armature.pose.bones[0].location.x, scene.frame_current) == (0.5, 1)
