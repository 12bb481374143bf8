"""Redrawing an unchanged preview costs nothing extra."""

from __future__ import annotations

import time

import pytest

from tests.windowed.scenes import SETTLED, START

COUNT_CALLS = """\
import gpu
from skinning_addon.drawing import probe, shader_library, skinned_drawing, uniform_block
from skinning_addon.scene.binding import frame_reader
from skinning_addon.viewport import draw_handlers, redraw
from skinning_addon.viewport.character import blender_reference, reference_drawing, step_preview
from skinning_addon.viewport.overlay import inspection
from skinning_addon.viewport.objects import instances
calls = []
def counted(owner, name):
    real = getattr(owner, name)
    def call(*arguments, **keywords):
        calls.append(name)
        return real(*arguments, **keywords)
    setattr(owner, name, call)
    return lambda: setattr(owner, name, real)
MADE = ("GPUBatch", "GPUFrameBuffer", "GPUIndexBuf", "GPUOffScreen", "GPUTexture", "GPUUniformBuf", "GPUVertBuf")
restore = [counted(*one) for one in (
    *((gpu.types, name) for name in MADE),
    (skinned_drawing.SkinnedDrawing, 'update'), (skinned_drawing.SkinnedDrawing, 'set_reference'),
    (skinned_drawing.SkinnedDrawing, 'set_positions'), (probe.GpuSkinner, 'skin'),
    (shader_library, 'compile_shader'), (frame_reader.FrameReader, 'read'),
    (reference_drawing, 'evaluated_mesh'), (blender_reference, 'read_blender_positions'),
    (inspection, 'trace_vertex'), (instances, 'is_instanced'), (step_preview, 'step_palette'),
    (redraw, '_tag'), (draw_handlers, '_draw_previews'))]
"""


MODES = {
    "heat map": "settings.display = 'DEVIATION'; settings.show_figures = True",
    "aside": "settings.placement = 'ASIDE'",
    "split": "settings.placement = 'SPLIT'",
    "ghost": "settings.blender_mesh = 'GHOST'",
    "hidden": "settings.blender_mesh = 'HIDDEN'",
    "flicker": "with view3d(): bpy.ops.skinscope.flicker()",
    "spaces": "settings.spaces.shown = True; settings.spaces.step = 1.5",
    "inspect": "from skinning_addon.viewport.overlay.inspection import Target\n"
    "session.inspection.pinned = Target(bar.session_uid, 5)\n"
    "with view3d() as area: area.tag_redraw()",
}


UNDO_MODES = """\
for name in ('display', 'placement', 'blender_mesh', 'split'): settings.property_unset(name)
settings.spaces.shown = False; settings.show_figures = False
session.inspection.clear()
"""


def wait_for_rest(bar):
    """Wait for a second without drawing. Until then Blender may smooth edges a little more, without being
    asked.
    """
    for _ in range(30):
        time.sleep(1.0)
        drawn = bar.run("drawn = list(calls); calls.clear(); drawn")
        if not drawn:
            return
        assert set(drawn) == {"_draw_previews"}
    pytest.fail("an idle Blender does not come to rest")


@pytest.mark.parametrize("mode", MODES)
def test_drawing_again_what_has_not_changed_reads_makes_and_asks_for_nothing(bar, mode):
    bar.run(START + MODES[mode])
    bar.screenshot()
    bar.wait_until(SETTLED)
    bar.screenshot()
    bar.run(COUNT_CALLS)
    wait_for_rest(bar)
    for _ in range(3):
        bar.run("with view3d() as area: area.tag_redraw()")
        bar.screenshot()
    calls = bar.run("[one() for one in restore]; calls")
    bar.run(UNDO_MODES)
    assert set(calls) == {"_draw_previews"}
    assert len(calls) >= 3
