"""The basics that the other window tests rely on."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from tests.windowed.harness import BlenderFailedError


def test_blender_opens_with_the_extension_enabled_and_draws(blender):
    assert blender.run("'bl_ext.user_default.skinscope' in bpy.context.preferences.addons")
    assert "/user_default/skinscope/" in blender.run("import skinning_addon; skinning_addon.__file__")
    with_cube = blender.screenshot()
    assert with_cube.std() > 10
    blender.run("for thing in list(bpy.data.objects): bpy.data.objects.remove(thing)")
    without_cube = blender.screenshot()
    assert (
        2_000 < np.any(with_cube != without_cube, axis=2).sum() < with_cube.shape[0] * with_cube.shape[1] / 2
    )


def test_an_error_inside_blender_reaches_the_test(blender):
    with pytest.raises(BlenderFailedError, match="ZeroDivisionError"):
        blender.run("1 / 0")
    assert blender.run("1 + 1") == 2


def test_a_blender_that_hangs_is_killed_and_its_console_shown(blender):
    with pytest.raises(BlenderFailedError, match="last words"):
        blender.run("print('last words', flush=True); import time; time.sleep(60)", timeout=2)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts mappings, as Linux lists them")
def test_redraws_keep_no_memory_mapping(blender):
    """Vulkan in software would keep some 300 a redraw, and die of it in any longer test
    (`descriptor_pools.c`).
    """
    redraw = "for area in bpy.context.window_manager.windows[0].screen.areas: area.tag_redraw()"
    mappings = "len(open('/proc/self/maps').readlines())"
    blender.screenshot()
    before = blender.run(mappings)
    for _ in range(20):
        blender.run(redraw)
    assert blender.run(mappings) < before + 20 * 100
