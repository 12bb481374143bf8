"""What is drawn while a technique is being prepared, and afterwards."""

from __future__ import annotations

import threading
import time

import bpy
import pytest

from skinning_addon.core.groups import draw_groups
from skinning_addon.drawing.chain_cache import ChainCache
from skinning_addon.drawing.techniques import TechniqueChoice
from skinning_addon.scene.binding.binding_reader import read_binding
from skinning_addon.scene.binding.frame_reader import FrameReader
from skinning_addon.scene.meshes.mesh_contents import read_mesh_contents
from skinning_addon.viewport.character.drawing_by_technique import DrawingByTechnique
from skinning_addon.viewport.character.stage_times import StageTimes
from tests.scene.random_rig import RigOptions, random_rig

pytestmark = [pytest.mark.gpu, pytest.mark.usefixtures("gpu_device")]

AUTOMATIC, CUT = TechniqueChoice(), TechniqueChoice("partitioned", 3)


def live(options: RigOptions):
    rig = random_rig(options)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    contents = read_mesh_contents(rig.mesh, for_drawing=True)
    binding = read_binding(rig.mesh, depsgraph, contents)
    frame = FrameReader(binding).read(rig.mesh, depsgraph)
    assert contents.drawn is not None
    cache = ChainCache(binding.passes)
    return DrawingByTechnique(cache, binding.mesh, contents.drawn, StageTimes()), frame


@pytest.fixture
def cutting(monkeypatch):
    """Lets a cut begin when it may; the names of the threads that cut."""

    class Cutting:
        may_end = threading.Event()
        threads: list[str] = []

    whole = draw_groups.partition_palette

    def slow(*given):
        Cutting.threads.append(threading.current_thread().name)
        assert Cutting.may_end.wait(30)
        return whole(*given)

    monkeypatch.setattr(draw_groups, "partition_palette", slow)
    yield Cutting
    Cutting.may_end.set()


def wait_for(drawing: DrawingByTechnique) -> None:
    end = time.monotonic() + 30
    while not drawing.prepared_now:
        assert time.monotonic() < end
        time.sleep(0.005)


@pytest.mark.parametrize("before", [AUTOMATIC, TechniqueChoice("software")])
def test_what_was_drawn_before_is_drawn_until_the_mesh_is_cut(cutting, before):
    drawing, frame = live(RigOptions(scale="none", influences=2))
    former = drawing.posed(frame, before)
    for _ in range(3):
        assert drawing.posed(frame, CUT) is former
        assert drawing.waiting
        assert drawing.choice == before
        assert not drawing.prepared_now
    cutting.may_end.set()
    wait_for(drawing)
    assert drawing.posed(frame, CUT) is not former
    assert (drawing.waiting, drawing.choice, drawing.problem) == (False, CUT, "")
    assert len(drawing.sizes) > 1
    assert len(cutting.threads) == 1
    assert cutting.threads[0] != threading.main_thread().name
    drawing.free()


def test_the_first_picture_does_not_wait(cutting):
    drawing, frame = live(RigOptions(scale="none", influences=2))
    drawing.posed(frame, CUT)
    assert drawing.waiting
    assert drawing.sizes
    # Who changes their mind is served at once.
    drawing.posed(frame, TechniqueChoice("software"))
    assert (drawing.waiting, drawing.choice.name) == (False, "software")
    cutting.may_end.set()
    drawing.free()


def test_what_can_not_be_cut_says_so_at_once(cutting):
    drawing, frame = live(RigOptions(scale="none", preserve_volume=True))
    drawing.posed(frame, CUT)
    assert not drawing.waiting
    assert "choose another technique" in drawing.problem
    assert not cutting.threads
    drawing.free()
