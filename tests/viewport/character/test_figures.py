"""While Blender plays, another thread compares; figures say of which frame they are, and are of that frame."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.scene.meshes.mesh_reader import read_draw_mesh
from skinning_addon.viewport.character.other_thread import OtherThread
from tests.viewport.character.played_mesh import PlayedMesh


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
