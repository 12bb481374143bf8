"""Data computed from a binding belongs to the preview: shared by its view layers, and released with it."""

from __future__ import annotations

import gc
import weakref

import bpy
import numpy as np
import pytest

from skinning_addon.drawing import chain_cache
from skinning_addon.drawing.off_screen import Picture
from skinning_addon.drawing.techniques import TechniqueChoice
from skinning_addon.viewport.character.view import View
from skinning_addon.viewport.choices.settings import PreviewSettings
from tests.scene.random_rig import RigOptions, random_rig

VIEW = View(np.eye(4), np.eye(4), 16.0)


@pytest.fixture
def computed(monkeypatch) -> list[weakref.ref]:
    """What was computed: gradients and groups."""
    made: list[weakref.ref] = []

    def watch(name: str) -> None:
        whole = getattr(chain_cache, name)

        def compute(*given):
            result = whole(*given)
            made.append(weakref.ref(result))
            return result

        monkeypatch.setattr(chain_cache, name, compute)

    watch("weight_gradient")
    watch("draw_groups")
    return made


def alive(computed: list[weakref.ref]) -> int:
    gc.collect()
    return sum(one() is not None for one in computed)


def test_it_ends_with_the_preview_even_if_its_binding_is_still_in_use(session, computed):
    rig = random_rig(RigOptions(scale="none", influences=2))
    preview = session.start(rig.mesh, bpy.context.evaluated_depsgraph_get())
    binding = preview.binding
    assert alive(computed) == 1
    session.stop((preview.uid,))
    del preview
    assert alive(computed) == 0
    assert binding is not None


@pytest.mark.gpu
@pytest.mark.usefixtures("gpu_device")
@pytest.mark.parametrize("technique", ["automatic", "partitioned", "software"])
def test_view_layers_share_it(session, computed, technique):
    rig = random_rig(RigOptions(scale="none", influences=2))
    depsgraph = bpy.context.evaluated_depsgraph_get()
    preview = session.start(rig.mesh, depsgraph)
    picture = Picture(16, 16)
    settings = PreviewSettings(technique=TechniqueChoice(technique, 3))
    for name in ("one", "two"):
        live = preview.follow(rig.mesh, depsgraph, (0, name))
        for _ in range(500):
            with picture.drawing():
                live.draw(VIEW, settings, rig.mesh, depsgraph)
            if not live.drawing.waiting:
                break
            live.drawing._preparation._thread.join()
        assert live.drawing.choice.name == technique
    picture.free()
    assert len(computed) == 1 + (technique == "partitioned")
    session.stop((preview.uid,))
    del preview, live
    assert alive(computed) == 0
