"""The operators on an armature's clips."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.animation.plain_state import to_plain
from skinning_addon.scene.clips.clips import SceneClip
from skinning_addon.ui import menus
from skinning_addon.ui.clips import animation_operators
from skinning_addon.ui.clips.mixer_player import save_states, up_to_date_player
from skinning_addon.ui.settings.animation_settings import animation_settings, loops
from skinning_addon.ui.settings.clip_lists import clip_names, list_for
from tests.scene.posed_arm import keyed_arm
from tests.ui.recorded_tab import recorded_tab


@pytest.mark.usefixtures("session")
def test_refreshing_without_clips_is_refused_and_changes_nothing() -> None:
    armature = bpy.data.objects.new("Still", bpy.data.armatures.new("Still"))
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    list_for(armature, [SceneClip("Walk", 1, 2, ())])
    with pytest.raises(RuntimeError, match="No action or NLA track moves 'Still'"):
        bpy.ops.skinscope.clips_refresh()
    assert clip_names(armature) == ["Walk"]


def _two_actions() -> bpy.types.Object:
    armature = keyed_arm()
    bend = armature.animation_data.action
    lean = bend.copy()
    lean.name = "Lean"
    lean.use_fake_user = bend.use_fake_user = True
    bpy.context.view_layer.objects.active = armature
    bpy.ops.skinscope.clips_refresh()
    return armature


@pytest.mark.usefixtures("session")
@pytest.mark.parametrize("operator", ["clips_bake", "mixer_play"])
def test_without_clips_there_is_nothing_to_bake_or_play(operator: str) -> None:
    armature = keyed_arm()
    armature.animation_data_clear()
    bpy.data.actions.remove(bpy.data.actions[0])
    bpy.context.view_layer.objects.active = armature
    with pytest.raises(RuntimeError, match="No action or NLA track moves 'Arm'"):
        getattr(bpy.ops.skinscope, operator)()


def test_a_clip_that_is_gone_is_named(session) -> None:
    armature = _two_actions()
    bpy.data.actions.remove(bpy.data.actions["Lean"])
    with pytest.raises(RuntimeError, match="'Lean'"):
        bpy.ops.skinscope.mixer_play()
    assert session.players.of(armature) is None


@pytest.mark.usefixtures("session")
def test_nothing_fades_that_does_not_play() -> None:
    _two_actions()
    with pytest.raises(RuntimeError, match="Nothing is playing"):
        bpy.ops.skinscope.mixer_fade()


def test_a_file_saved_in_a_fade_goes_on_bit_for_bit(session, tmp_path: Path) -> None:
    armature = _two_actions()
    animation_settings(armature).transition = 0.8
    bpy.ops.skinscope.mixer_play()
    player = session.players.of(armature)
    player.advance(0.25)
    bpy.ops.skinscope.mixer_fade()
    player.advance(0.3)
    saved = to_plain(player.controller)
    file = str(tmp_path / "fade.blend")
    save_states()
    bpy.ops.wm.save_as_mainfile(filepath=file)
    # On, for as long as the other side will be.
    frames = []
    for _ in range(1000):
        player.advance(1 / 60)
        frames.append(player.to_root.tobytes())
    bpy.ops.wm.open_mainfile(filepath=file)
    assert list(session.players) == []
    bpy.context.view_layer.objects.active = bpy.data.objects["Arm"]
    bpy.ops.skinscope.mixer_play()
    again = session.players.of(bpy.data.objects["Arm"])
    assert again is not player
    assert to_plain(again.controller) == saved
    for frame in frames:
        again.advance(1 / 60)
        assert again.to_root.tobytes() == frame


@pytest.mark.usefixtures("session")
def test_menu_search_finds_all_that_the_mixer_can() -> None:
    """It finds what menus offer."""
    offered = {name for group in menus.OPERATORS for name in group}
    ours = {
        one.bl_idname
        for one in vars(animation_operators).values()
        if isinstance(one, type) and issubclass(one, bpy.types.Operator)
    }
    assert len(ours) == 6
    assert ours <= offered


def test_a_clip_of_one_key_plays_and_stands(session) -> None:
    armature = keyed_arm(frames=(3,))
    bpy.context.view_layer.objects.active = armature
    bpy.ops.skinscope.clips_refresh()
    animation_settings(armature).speed = -2.0
    bpy.ops.skinscope.mixer_play()
    player = session.players.of(armature)
    before = player.to_root.tobytes()
    player.advance(0.7)
    bpy.ops.skinscope.mixer_fade()
    player.advance(0.7)
    assert player.to_root.tobytes() == before


def test_what_plays_is_paused_and_resumed_without_its_list_of_clips(session) -> None:
    armature = _two_actions()
    bpy.ops.skinscope.mixer_play()
    list_for(armature, [])
    player = session.players.of(armature)
    for playing in (False, True):
        bpy.ops.skinscope.mixer_play()
        assert session.players.of(armature) is player
        assert player.playing is playing


@pytest.mark.usefixtures("session")
@pytest.mark.parametrize("state", ["{", "[]", "{}", '{"version": 1}', '{"version": 7}', "null"])
def test_a_saved_state_that_can_not_be_read_starts_over(state: str) -> None:
    armature = _two_actions()
    animation_settings(armature).state = state
    bpy.ops.skinscope.mixer_play()


def _edit_bend(armature: bpy.types.Object) -> None:
    """Turn the first bone further at the end of Bend."""
    bone = armature.pose.bones["b0"]
    bone.rotation_quaternion = (0.2, 0, 0.98, 0)
    bone.keyframe_insert("rotation_quaternion", frame=12)
    bone.keyframe_insert("rotation_quaternion", frame=1)


def test_what_was_edited_plays_once_it_is_refreshed(session) -> None:
    armature = _two_actions()
    bpy.ops.skinscope.mixer_play()
    before = session.players.of(armature)
    before.advance(0.2)
    _edit_bend(armature)
    bpy.ops.skinscope.clips_refresh()
    assert up_to_date_player(armature) is None
    # Pausing asks for nothing to be baked.
    bpy.ops.skinscope.mixer_play()
    assert session.players.of(armature) is before
    assert not before.playing
    bpy.ops.skinscope.mixer_play()
    player = session.players.of(armature)
    assert player is not before
    assert player.playing
    # At the same moment of the other pose.
    assert player.controller.now == 0.2
    assert player.controller.position(0) == before.controller.position(0)
    assert np.abs(player.to_root - before.to_root).max() > 0.1


def test_baking_brings_what_plays_up_to_date(session) -> None:
    armature = _two_actions()
    bpy.ops.skinscope.mixer_play()
    before = session.players.of(armature)
    before.advance(0.2)
    _edit_bend(armature)
    bpy.ops.skinscope.clips_refresh()
    bpy.ops.skinscope.clips_bake(every=True)
    player = session.players.of(armature)
    assert player.playing
    assert up_to_date_player(armature) is player
    assert player.controller.now == 0.2
    assert np.abs(player.to_root - before.to_root).max() > 0.1
    # Baked again, nothing has changed but the baking itself.
    bpy.ops.skinscope.clips_bake(every=True)
    assert np.array_equal(session.players.of(armature).to_root, player.to_root)


def test_a_clip_that_shall_not_loop_ends_its_round_and_stays(session) -> None:
    armature = _two_actions()
    bpy.ops.skinscope.mixer_play()
    session.players.of(armature).advance(1.0)
    bpy.ops.skinscope.clip_loop(clip="Bend")
    assert up_to_date_player(armature) is None
    bpy.ops.skinscope.mixer_play()
    bpy.ops.skinscope.mixer_play()
    player = session.players.of(armature)
    duration = player.controller.clips[0].duration
    assert player.controller.position(0) == pytest.approx([1.0 % duration])
    player.advance(2.0)
    assert player.controller.position(0) == [duration]
    bpy.ops.skinscope.clips_refresh()
    assert [loops(armature, one) for one in clip_names(armature)] == [False, True]


def test_clips_baked_for_another_engine_are_old(session) -> None:
    """What an exporter does with bones that a clip doesn't key depends on it."""
    armature = _two_actions()
    profiles = bpy.context.scene.skinscope.profiles
    profiles.profile = "threejs"
    bpy.ops.skinscope.mixer_play()
    bpy.ops.skinscope.mixer_play()
    assert up_to_date_player(armature) is not None
    profiles.profile = "babylonjs"
    assert up_to_date_player(armature) is not None, "exported alike"
    profiles.profile = "unity-unlimited"
    assert up_to_date_player(armature) is None
    assert session.players.baked_of(armature) == {}
    bpy.ops.skinscope.mixer_play()
    assert up_to_date_player(armature) is not None
    profiles.exporter.use_own = True
    profiles.profile = "threejs"
    bpy.ops.skinscope.mixer_play()
    bpy.ops.skinscope.mixer_play()
    assert up_to_date_player(armature) is not None
    profiles.exporter.export_animation_mode = "SCENE"
    assert up_to_date_player(armature) is None


def test_the_way_is_taken_out_and_keys_are_left_out_as_the_panel_says(session) -> None:
    armature = _two_actions()
    bone = armature.pose.bones["b0"]
    for frame, place in ((1, (0, 0, 0)), (12, (2, 1, 0))):
        bone.location = place
        bone.keyframe_insert("location", frame=frame)
    settings = animation_settings(armature)
    bpy.ops.skinscope.clips_bake()
    (kept,) = session.players.baked_of(armature).values()
    assert kept.clip.name == "Bend"
    assert kept.root_motion is kept.reduction is None
    settings.root_motion = "EXTRACT"
    # A clip baked differently isn't passed off as this one.
    assert session.players.baked_of(armature) == {}
    bpy.context.scene.unit_settings.scale_length = 0.01
    settings.reduction = 0.02
    bpy.ops.skinscope.clips_bake()
    (baked,) = session.players.baked_of(armature).values()
    assert baked.root_motion.bone == "b0"
    # The bone stands upright: its Y is up.
    assert baked.root_motion.offset[-1] == pytest.approx([2, 0, 0], abs=1e-5)
    assert 0 < baked.reduction.distance <= 0.02 * (1 + 1e-6)
    assert baked.reduction.keys_after < kept.clip.key_count / 2
    settings.root_motion = "EXTRACT_TURNING"
    settings.root_bone = "b2"
    bpy.ops.skinscope.clips_bake()
    assert session.players.baked_of(armature)["Bend"].root_motion.bone == "b2"
    settings.root_bone = "tail"
    with pytest.raises(RuntimeError, match="no bone 'tail' to extract"):
        bpy.ops.skinscope.clips_bake()


OLD = "Settings or clips have changed; bake the clips, or pause and play"


@pytest.mark.parametrize(
    ("profile", "option", "old"),
    [
        ("threejs", None, True),
        ("blender", None, False),
        ("threejs", "export_reset_pose_bones", True),
        # Between keys, bones move relative to those that are in the file.
        ("threejs", "export_def_bones", True),
        ("threejs", "export_frame_step", True),
        # The same poses are in the file; the preview itself leaves weights out.
        ("threejs", "export_all_influences", False),
    ],
)
def test_clips_that_play_are_old_once_the_file_would_hold_others(
    session, profile: str, option: str | None, *, old: bool
) -> None:
    armature = _two_actions()
    settings = bpy.context.scene.skinscope.profiles
    settings.profile = profile if option else "blender"
    settings.exporter.use_own = option is not None
    bpy.ops.skinscope.mixer_play()
    assert session.players.of(armature).playing
    assert OLD not in _sentences()
    if option:
        value = getattr(settings.exporter, option)
        setattr(settings.exporter, option, value + 1 if type(value) is int else not value)
    else:
        settings.profile = profile
    assert (OLD in _sentences()) == old
    if old:
        # Pause and play, as it says.
        bpy.ops.skinscope.mixer_play()
        bpy.ops.skinscope.mixer_play()
        assert OLD not in _sentences()


def _sentences() -> str:
    """What the Animation panel says, without line breaks."""
    drawn = recorded_tab(closed=True)["SKINSCOPE_PT_animation"]
    return " ".join(one.text for one in drawn.texts)
