"""Players without a window: what they show, and what they survive."""

from __future__ import annotations

import json

import bpy
import numpy as np
import pytest

from skinning_addon.animation.controller import Controller
from skinning_addon.animation.passings import Passing
from skinning_addon.animation.plain_state import to_plain
from skinning_addon.core.text.errors import BindingError
from skinning_addon.scene.armatures.armature_reader import read_armature
from skinning_addon.scene.baking.clip_baking import BakeSettings, bake_clips
from skinning_addon.scene.binding.binding_reader import read_binding
from skinning_addon.scene.clips.clips import list_clips
from skinning_addon.scene.meshes.mesh_reader import read_draw_mesh
from skinning_addon.viewport.character.figures import Figures
from skinning_addon.viewport.character.mesh_in_layer import MeshInLayer
from skinning_addon.viewport.players import LONGEST_TICK, Player, Players
from tests.scene.posed_arm import keyed_arm


class Clock:
    """A clock that stands until it is set."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(session) -> Clock:
    clock = Clock()
    session.players = Players(session.objects, session.players._moved, clock)
    return clock


def _controller(armature: bpy.types.Object) -> Controller:
    scene = bpy.context.scene
    clips = [one.clip for one in bake_clips(scene, armature, list_clips(scene), BakeSettings(between=None))]
    controller = Controller(read_armature(armature).skeleton, clips)
    controller.set_track(0, clips[0].name)
    controller.set_track(1, clips[0].name, position=0.3, enabled=False)
    controller.cross_fade(0, 1, 0.7, at=0.2)
    return controller


def _player(session, armature: bpy.types.Object) -> Player:
    player = session.players.add(armature, _controller(armature))
    session.players.play(player, playing=True)
    return player


def _tick(session, clock: Clock, seconds: float) -> None:
    clock.now += seconds
    session.players.tick()


def test_time_goes_on_by_the_clock_and_never_jumps(session, clock):
    player = _player(session, keyed_arm())
    _tick(session, clock, 0.1)
    assert player.controller.now == pytest.approx(0.1)
    _tick(session, clock, 3600)
    assert player.controller.now == pytest.approx(0.1 + LONGEST_TICK)
    session.players.play(player, playing=False)
    _tick(session, clock, 0.1)
    assert player.controller.now == pytest.approx(0.1 + LONGEST_TICK)


def test_the_loss_of_all_gpu_objects_leaves_no_trace(session, clock):
    armature = keyed_arm()
    skin = bpy.data.objects["Skin"]
    player, undisturbed = _player(session, armature), _controller(armature)
    session.start(skin, bpy.context.evaluated_depsgraph_get())
    for number in range(60):
        if number == 20:
            # In the middle of the fade.
            session.stop([skin.session_uid])
        if number == 30:
            session.start(skin, bpy.context.evaluated_depsgraph_get())
        before = clock.now
        _tick(session, clock, 1 / 64)
        undisturbed.advance(clock.now - before)
    assert json.dumps(to_plain(player.controller)) == json.dumps(to_plain(undisturbed))
    assert player.to_root.tobytes() == undisturbed.to_root()[0].tobytes()


def test_it_poses_the_preview_and_leaves_the_armature_alone(session, clock):
    armature = keyed_arm()
    skin = bpy.data.objects["Skin"]
    players_pose = _player(session, armature)
    before = np.array([bone.matrix for bone in armature.pose.bones])
    _tick(session, clock, 0.2)
    preview = session.start(skin, bpy.context.evaluated_depsgraph_get())
    assert list(session.players.poses()) == ["Arm"]
    assert session.players.poses()["Arm"] is players_pose.to_root
    assert preview is session.preview_of(skin)
    assert np.array_equal(before, [bone.matrix for bone in armature.pose.bones])
    session.players.stop(armature.session_uid)
    assert session.players.poses() == {}


@pytest.mark.gpu
@pytest.mark.usefixtures("clock", "gpu_device")
def test_bones_that_have_changed_since_are_a_sentence(session):
    armature = keyed_arm()
    skin = bpy.data.objects["Skin"]
    _player(session, armature)
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones.remove(armature.data.edit_bones["b2"])
    bpy.ops.object.mode_set(mode="OBJECT")
    depsgraph = bpy.context.evaluated_depsgraph_get()
    live = MeshInLayer(read_binding(skin, depsgraph), read_draw_mesh(skin.data))
    with pytest.raises(BindingError, match="bones of 'Arm' have changed since its clips were baked"):
        live.follow(1, skin, depsgraph, session.players.poses())


@pytest.mark.gpu
@pytest.mark.usefixtures("clock", "gpu_device")
def test_figures_of_blenders_pose_end_with_it_and_the_panel_is_told(session):
    armature = keyed_arm()
    skin = bpy.data.objects["Skin"]
    _player(session, armature)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    live = MeshInLayer(read_binding(skin, depsgraph), read_draw_mesh(skin.data))
    live._measured.latest = Figures(None, "before", 1.0)
    live.follow(1, skin, depsgraph, session.players.poses())
    # A mesh that waits to be bound again is drawn, but not measured.
    assert live.figures is None
    assert live.measure(skin, depsgraph)
    assert live.figures is None
    assert not live.measure(skin, depsgraph)


def test_an_armature_that_is_gone_ends_its_player(session, clock):
    armature = keyed_arm()
    _player(session, armature)
    bpy.data.objects.remove(armature)
    _tick(session, clock, 0.1)
    assert list(session.players) == []


def test_an_action_that_is_gone_is_played_on(session, clock):
    armature = keyed_arm()
    player, undisturbed = _player(session, armature), _controller(armature)
    bpy.data.actions.remove(armature.animation_data.action)
    _tick(session, clock, 0.125)
    undisturbed.advance(0.125)
    assert player.error == ""
    assert np.array_equal(player.to_root, undisturbed.to_root()[0])


def test_listeners_are_told_of_every_marker_once_and_in_order(session, clock, capsys):
    armature = keyed_arm()
    action = armature.animation_data.action
    for name, frame in (("left", 3), ("right", 8)):
        action.pose_markers.new(name).frame = frame
    scene = bpy.context.scene
    (baked,) = bake_clips(scene, armature, list_clips(scene), BakeSettings(between=None))
    controller = Controller(read_armature(armature).skeleton, [baked.clip])
    controller.set_track(0, baked.clip.name)
    player = session.players.add(armature, controller)
    session.players.play(player, playing=True)
    told, failed = [], []

    def broken(_name: str, passing: Passing) -> None:
        failed.append(passing)
        raise ValueError("a listener's own mistake")

    session.players.listeners += [broken, lambda name, passing: told.append((name, passing.marker))]
    for _ in range(12):
        _tick(session, clock, 0.1)
    # A round is 11 frames long: 1.2 seconds hold two of them and a third's first footstep.
    assert told == [("Arm", name) for name in ("left", "right", "left", "right", "left")]
    assert player.error == ""
    # A listener that raises is not called again.
    assert len(failed) == 1
    assert "a listener's own mistake" in "".join(capsys.readouterr())


@pytest.mark.usefixtures("clock")
def test_another_file_ends_all_players(session):
    _player(session, keyed_arm())
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    assert list(session.players) == []
