"""Another thread is still comparing when the scene goes on: what it finds then is shown as figures of the frame
that it is of, or not at all.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator

import bpy
import numpy as np
import pytest

from skinning_addon.core.blending.software_skinning import SoftwareSkinner
from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.profiles.profile import BLENDER
from skinning_addon.drawing.off_screen import Picture
from skinning_addon.drawing.techniques import TechniqueChoice
from skinning_addon.measurement.frame.frame_measurement import FrameMeasurement
from skinning_addon.scene.meshes.blender_result import read_blender_positions
from skinning_addon.viewport.character import figures as figures_module
from skinning_addon.viewport.character.figures import SECONDS_BETWEEN_FIGURES
from skinning_addon.viewport.character.stale import Stale
from skinning_addon.viewport.character.view import View
from skinning_addon.viewport.choices.settings import PreviewSettings
from skinning_addon.viewport.layers import layer_key
from tests.viewport.character.played_mesh import PlayedMesh

OFF = 0.25
SIZE = 32


class Comparing:
    """Comparing in another thread, which doesn't end before it may."""

    def __init__(self) -> None:
        self._may_end = threading.Event()
        self._whole = figures_module._compared

    def __call__(self, *given):
        if threading.current_thread() is not threading.main_thread():
            assert self._may_end.wait(30)
        return self._whole(*given)

    def end(self) -> None:
        self._may_end.set()
        for thread in threading.enumerate():
            if thread.name == "skinscope figures":
                thread.join()


@pytest.fixture
def comparing(monkeypatch: pytest.MonkeyPatch) -> Iterator[Comparing]:
    one = Comparing()
    monkeypatch.setattr(figures_module, "_compared", one)
    yield one
    one.end()


def assert_are_of(figures, frame: int) -> None:
    assert figures.frame == frame
    # Every bone is scaled by the frame's number, and the mesh that Blender deforms is moved by OFF.
    np.testing.assert_allclose(figures.deviation.distance, OFF * frame, rtol=1e-5)


def test_figures_are_of_the_frame_they_name_though_others_were_read_meanwhile(comparing):
    mesh = PlayedMesh(OFF, grows=True)
    assert not mesh.show(3, plays=True)
    assert not mesh.show(6, plays=True)
    assert not mesh.show(9, plays=True)
    comparing.end()
    assert mesh.show(10, plays=True, later=0.01)
    assert_are_of(mesh.live.figures, 3)
    assert mesh.live.figures_due is not None


@pytest.mark.gpu
@pytest.mark.usefixtures("gpu_device")
def test_the_gpu_and_heat_maps_leave_alone_what_is_being_compared(comparing):
    mesh = PlayedMesh(OFF, grows=True)
    mesh.live._measured._measurement = FrameMeasurement(mesh.live.binding, mesh.live.drawing.prober)
    view, picture = View(np.eye(4), np.eye(4), SIZE), Picture(SIZE, SIZE)

    def draw(depsgraph: bpy.types.Depsgraph) -> None:
        mesh.live.draw(view, PreviewSettings(display="deviation"), mesh.skin, depsgraph)

    def show(frame: int, *, plays: bool = True, later: float = SECONDS_BETWEEN_FIGURES) -> bool:
        with picture.drawing():
            return mesh.show(frame, plays=plays, later=later, draw=draw)

    try:
        # The drawing is made, and with it the technique by which meshes are measured is chosen.
        show(1, plays=False)
        assert not show(3)
        assert not show(6)
        # As another measurement would.
        mesh.live._measured._measurement._skinner.skin(mesh.live.frame.palettes)
        comparing.end()
        assert show(9, later=0.01)
        assert_are_of(mesh.live.figures, 3)
        assert mesh.live.figures_due is not None, "the frame that is shown was drawn, but not measured"
    finally:
        mesh.live.free()
        picture.free()


def test_a_bone_posed_while_blender_stands_still_leaves_no_figures_of_the_pose_before(comparing):
    mesh = PlayedMesh(OFF, grows=True)
    assert not mesh.show(3, plays=True)
    bpy.data.objects["Arm"].animation_data.action = None
    bpy.data.objects["Arm"].pose.bones[0].scale = (7, 7, 7)
    bpy.context.view_layer.update()
    comparing.end()
    mesh.clock.seconds += 1
    depsgraph = bpy.context.evaluated_depsgraph_get()
    # Nothing but the revision tells this state from the last: the frame's number is the same.
    mesh.live.follow(1000, mesh.skin, depsgraph)
    assert mesh.live.measure(mesh.skin, depsgraph)
    np.testing.assert_allclose(mesh.live.figures.deviation.distance, OFF * 7, rtol=1e-5)
    assert mesh.live.figures_due is None


def test_what_another_technique_drew_is_not_compared_any_more(comparing):
    mesh = PlayedMesh(OFF, grows=True)
    assert not mesh.show(3, plays=True)
    mesh.live.drawing.choice = TechniqueChoice("cpu")
    mesh.live._measured._measurement._make_skinner = SoftwareSkinner
    comparing.end()
    assert not mesh.show(4, plays=True, later=0.01)
    assert mesh.live.figures is None


def test_a_mixer_that_poses_the_mesh_meanwhile_leaves_no_figures(comparing):
    mesh = PlayedMesh(OFF, grows=True)
    assert not mesh.show(3, plays=True)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    posed = np.tile(np.eye(4), (3, 1, 1))
    mesh.live.follow(1000, mesh.skin, depsgraph, {"Arm": posed})
    mesh.live.measure(mesh.skin, depsgraph, plays=True)
    comparing.end()
    assert not mesh.live.measure(mesh.skin, depsgraph, plays=True)
    assert mesh.live.figures is None
    # Not even once Blender poses the mesh again.
    assert not mesh.show(4, plays=True, later=0.01)
    assert mesh.live.figures is None


class PlayedPreview:
    """The same mesh as the session's preview, drawn and bound again as the handlers do."""

    def __init__(self, session) -> None:
        self.mesh = PlayedMesh()
        self.layer = layer_key(bpy.context.scene, bpy.context.view_layer)
        self.session = session
        self.profile = BLENDER
        self.preview = session.start(self.mesh.skin, bpy.context.evaluated_depsgraph_get())

    def draw(self, *, plays: bool) -> None:
        bpy.context.view_layer.update()
        depsgraph = bpy.context.view_layer.depsgraph
        self.preview.skin_as(self.profile)
        live = self.preview.follow(self.mesh.skin, depsgraph, self.layer)
        live._measured._measurement._make_skinner = SoftwareSkinner
        if self.preview.wanted_in is None:
            live.measure(self.mesh.skin, depsgraph, plays=plays)

    def bind_again(self) -> None:
        self.preview._binding_pace.due = 0.0
        assert self.preview.bind_if_needed(self.mesh.skin, bpy.context.view_layer.depsgraph)

    @property
    def figures(self):
        return self.session.figures_of(self.preview, self.layer)


def _choose_engine(one: PlayedPreview, monkeypatch) -> None:
    one.profile = load_profile("threejs")
    monkeypatch.setattr(one.session, "settings_of", lambda _scene: PreviewSettings(profile=one.profile))


def _paint(one: PlayedPreview, _monkeypatch) -> None:
    one.mesh.skin.vertex_groups["b1"].add([0, 1, 2, 3], 0.5, "REPLACE")
    one.mesh.skin.data.update()


def _undo(one: PlayedPreview, _monkeypatch) -> None:
    one.session.mark_all(Stale.MESH)


@pytest.mark.parametrize("change", [_choose_engine, _paint, _undo])
def test_what_was_compared_before_the_mesh_was_bound_again_is_never_shown(
    session, comparing, monkeypatch, change
):
    played = PlayedPreview(session)
    played.draw(plays=True)
    assert played.figures is None
    change(played, monkeypatch)
    played.draw(plays=True)
    comparing.end()
    assert played.figures is None
    played.bind_again()
    played.draw(plays=True)
    comparing.end()
    # What is compared now comes with the next frame; what was compared before would have come with this one.
    assert played.figures is None
    played.draw(plays=True)
    assert played.figures.profile == played.profile
    live = played.preview.mesh_in_layer(played.layer)
    skinned = SoftwareSkinner(live.binding.passes, live.binding.mesh).skin(live._frame.palettes).positions
    skin, depsgraph = played.mesh.skin, bpy.context.evaluated_depsgraph_get()
    expected = np.linalg.norm(skinned - read_blender_positions(skin, depsgraph, len(skinned)), axis=1)
    np.testing.assert_allclose(played.figures.deviation.distance, expected, atol=1e-6)


def test_figures_of_the_engine_chosen_before_are_not_those_of_the_one_chosen_now(
    session, comparing, monkeypatch
):
    """What arrives between the choice and the new binding is of the old engine."""
    played = PlayedPreview(session)
    played.draw(plays=True)
    comparing.end()
    played.draw(plays=True)
    assert played.figures is not None
    _choose_engine(played, monkeypatch)
    assert played.figures is None
    assert session.measured(played.layer) == []
