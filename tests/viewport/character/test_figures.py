"""While Blender plays, another thread compares; figures say of which frame they are, and are of that frame."""

from __future__ import annotations

import threading

import bpy
import numpy as np
import pytest

from skinning_addon.core.blending.software_skinning import SoftwareSkinner
from skinning_addon.measurement.frame.frame_measurement import FrameMeasurement
from skinning_addon.scene.binding.binding_reader import read_binding
from skinning_addon.scene.meshes.mesh_reader import read_draw_mesh, read_positions
from skinning_addon.viewport.character.figures import SECONDS_BETWEEN_FIGURES
from skinning_addon.viewport.character.mesh_in_layer import MeshInLayer
from skinning_addon.viewport.character.other_thread import OtherThread
from tests.scene.posed_arm import keyed_arm


class Clock:
    """Stands still until it is told otherwise."""

    def __init__(self) -> None:
        self.seconds = 10.0

    def __call__(self) -> float:
        return self.seconds


class PlayedMesh:
    """A mesh that is measured frame by frame, by the CPU, and is off from Blender's by `off` along x."""

    def __init__(self, off: float = 0.0) -> None:
        keyed_arm()
        self.skin = bpy.data.objects["Skin"]
        self.clock = Clock()
        depsgraph = bpy.context.evaluated_depsgraph_get()
        binding = read_binding(self.skin, depsgraph)
        self.live = MeshInLayer(binding, read_draw_mesh(self.skin.data), clock=self.clock)
        self.live._measured._measurement = FrameMeasurement(binding, SoftwareSkinner)
        # Blender's mesh is moved after it was bound, and nobody is told.
        positions = read_positions(self.skin.data)
        positions[:, 0] += off
        self.skin.data.attributes["position"].data.foreach_set("vector", positions.reshape(-1))
        self.skin.data.update()

    def show(self, frame: int, *, plays: bool, later: float = SECONDS_BETWEEN_FIGURES) -> bool:
        """Show a frame some seconds later, and measure if it is time; return whether figures are new."""
        self.clock.seconds += later
        bpy.context.scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        self.live.follow(frame, self.skin, depsgraph)
        return self.live.measure(self.skin, depsgraph, plays=plays)

    def let_the_other_thread_end(self) -> None:
        for thread in threading.enumerate():
            if thread.name == "skinscope figures":
                thread.join()


def test_while_blender_plays_figures_come_later_and_are_of_the_frame_that_they_name():
    mesh = PlayedMesh()
    assert not mesh.show(3, plays=True)
    assert mesh.live.figures is None
    mesh.let_the_other_thread_end()
    # The next pose is another one: compared with it, the first would be far off.
    assert mesh.show(9, plays=True, later=0.01)
    assert mesh.live.figures.frame == 3
    assert mesh.live.figures.rounding
    assert mesh.live.figures_due is not None, "the frame that is shown was not measured"


def test_once_blender_stops_the_figures_are_of_the_frame_that_is_shown():
    mesh = PlayedMesh()
    assert not mesh.show(3, plays=True)
    assert mesh.show(9, plays=False)
    assert mesh.live.figures.frame == 9
    assert mesh.live.figures.rounding
    assert mesh.live.figures_due is None


def test_figures_are_the_same_whichever_thread_compares():
    mesh = PlayedMesh(off=0.25)
    assert mesh.show(5, plays=False)
    at_once = mesh.live.figures
    mesh.show(7, plays=False)
    assert not mesh.show(5, plays=True)
    mesh.let_the_other_thread_end()
    assert mesh.show(7, plays=True, later=0.01)
    later = mesh.live.figures
    assert later.frame == at_once.frame == 5
    # Every bone turns the step along x, and keeps its length.
    np.testing.assert_allclose(later.deviation.distance, 0.25, rtol=1e-5)
    np.testing.assert_array_equal(later.deviation.distance, at_once.deviation.distance)
    assert later.level == at_once.level
    assert later.height == at_once.height


def test_figures_of_another_state_are_dropped():
    mesh = PlayedMesh()
    assert not mesh.show(3, plays=True)
    mesh.live.move(mesh.live.binding, read_draw_mesh(mesh.skin.data))
    mesh.let_the_other_thread_end()
    assert not mesh.show(4, plays=True, later=0.01)
    assert mesh.live.figures is None


def test_what_goes_wrong_in_the_other_thread_is_raised_where_its_result_is_wanted():
    def work() -> int:
        raise ValueError("wrong")

    with pytest.raises(ValueError, match="wrong"):
        OtherThread(work, "test").result()
