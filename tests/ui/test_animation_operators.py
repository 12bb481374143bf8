"""The operators on an armature's clips."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest

from skinning_addon.animation.plain_state import to_plain
from skinning_addon.ui import animation_operators, menus
from skinning_addon.ui.animation_settings import animation_settings
from tests.scene.posed_arm import keyed_arm


@pytest.mark.usefixtures("session")
def test_refreshing_without_clips_is_refused_and_changes_nothing() -> None:
    armature = bpy.data.objects.new("Still", bpy.data.armatures.new("Still"))
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    clips = animation_settings(armature).clips
    clips.add().name = "Walk"
    with pytest.raises(RuntimeError, match="No action or NLA track moves 'Still'"):
        bpy.ops.skinscope.clips_refresh()
    assert [one.name for one in clips] == ["Walk"]


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
    bpy.context.view_layer.objects.active = armature
    with pytest.raises(RuntimeError, match="There are no clips; refresh the list"):
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
    with pytest.raises(RuntimeError, match="Nothing plays that could fade"):
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
    animation_operators.save_states()
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
    assert len(ours) == 5
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
    settings = animation_settings(armature)
    settings.clips.clear()
    settings.first = settings.second = ""
    player = session.players.of(armature)
    for playing in (False, True):
        bpy.ops.skinscope.mixer_play()
        assert session.players.of(armature) is player
        assert player.playing is playing


@pytest.mark.usefixtures("session")
@pytest.mark.parametrize("state", ["{", "[]", "{}", '{"version": 1}', '{"version": 7}', "null"])
def test_a_saved_state_that_can_not_be_read_begins_anew(state: str) -> None:
    armature = _two_actions()
    animation_settings(armature).state = state
    bpy.ops.skinscope.mixer_play()
