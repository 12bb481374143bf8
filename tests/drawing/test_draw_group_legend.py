"""The legend of the draw groups: a line for each draw call, in its color, and never too many."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from skinning_addon.drawing.displays import DRAW_GROUPS, find_display
from skinning_addon.drawing.draw_call import DrawCallSize
from skinning_addon.drawing.draw_call_colors import PROCESSOR_COLOR, draw_call_color, swatch
from skinning_addon.drawing.draw_group_legend import MOST_LINES, draw_group_legend
from skinning_addon.drawing.vertex_paint import linear_from_srgb

DISPLAY = find_display(DRAW_GROUPS)


def groups(count: int, *, rest: bool = False) -> tuple[DrawCallSize, ...]:
    parts = [DrawCallSize(26, 100, 1000 + number, 1248) for number in range(count)]
    return (*parts, DrawCallSize(30, 12, 7, 0, 432, on_cpu=True)) if rest else tuple(parts)


def test_the_first_group_stands_on_top_and_the_processor_at_the_bottom() -> None:
    legend = draw_group_legend(DISPLAY, [groups(2, rest=True)])
    assert legend is not None
    assert legend.title == "Draw Groups"
    assert legend.ticks == (
        "CPU: 7 triangles",
        "2: 26 joints, 1,001 triangles",
        "1: 26 joints, 1,000 triangles",
    )
    assert legend.colors[0][:3] == PROCESSOR_COLOR
    assert legend.colors[2][:3] == swatch(0, groups(1)[0])


def test_a_draw_call_names_its_material_where_there_are_several() -> None:
    sizes = [replace(one, material=slot) for one, slot in zip(groups(2), (0, 2), strict=True)]
    legend = draw_group_legend(DISPLAY, [sizes])
    assert legend is not None
    assert legend.ticks == (
        "2: material 3, 26 joints, 1,001 triangles",
        "1: material 1, 26 joints, 1,000 triangles",
    )


def test_several_meshes_share_a_legend_as_long_as_the_longest() -> None:
    legend = draw_group_legend(DISPLAY, [groups(1), groups(3)])
    assert legend is not None
    assert legend.ticks == ("Draw call 3", "Draw call 2", "Draw call 1")


def test_what_does_not_fit_is_counted() -> None:
    legend = draw_group_legend(DISPLAY, [groups(100)])
    assert legend is not None
    assert len(legend.ticks) == MOST_LINES
    assert legend.ticks[0] == f"{100 - MOST_LINES + 1} more"
    assert len(draw_group_legend(DISPLAY, [groups(MOST_LINES)]).ticks) == MOST_LINES


def test_the_processors_share_is_told_however_many_draw_calls_there_are() -> None:
    legend = draw_group_legend(DISPLAY, [groups(100, rest=True)])
    assert legend is not None
    assert legend.ticks[:2] == (f"{101 - MOST_LINES + 1} more", "CPU: 7 triangles")
    assert len(legend.ticks) == MOST_LINES


def test_nothing_drawn_has_no_legend() -> None:
    assert draw_group_legend(DISPLAY, []) is None


def test_swatches_have_the_colour_that_is_drawn() -> None:
    for number, size in enumerate(groups(40, rest=True)):
        np.testing.assert_allclose(
            linear_from_srgb(np.array(swatch(number, size))), draw_call_color(number, size)
        )
