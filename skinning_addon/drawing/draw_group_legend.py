"""The legend of the draw groups: each draw call's colour and size."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.text.message import Message
from .displays import Display
from .draw_call import DrawCallSize
from .draw_call_colors import swatch
from .legend import LegendClasses
from .rectangle import Color

MOST_LINES = 12

NO_COLOR = (0.0, 0.0, 0.0, 0.0)


def draw_group_legend(display: Display, meshes: Sequence[Sequence[DrawCallSize]]) -> LegendClasses | None:
    """Describe the draw calls of each mesh; None if nothing is drawn.

    The colours are the same for all meshes. For a single mesh each line gives a call's number of joints, and
    its material, counted from 1, if the mesh has several.
    """
    longest = max(meshes, key=len, default=())
    if not longest:
        return None
    # The CPU's draw call is left out last: it costs the most.
    order = sorted(range(len(longest)), key=lambda number: not longest[number].on_cpu)
    shown = len(longest) if len(longest) <= MOST_LINES else MOST_LINES - 1
    lines: list[tuple[str, Color]] = [
        (_words(number, longest[number], alone=len(meshes) == 1), (*swatch(number, longest[number]), 1.0))
        for number in sorted(order[:shown])
    ]
    if shown < len(longest):
        lines.append((Message("{count} more", count=len(longest) - shown), NO_COLOR))
    # A legend is read from the top; its classes are listed from the bottom.
    lines.reverse()
    return LegendClasses(
        display.label, tuple(words for words, _ in lines), tuple(color for _, color in lines)
    )


def _words(number: int, size: DrawCallSize, *, alone: bool) -> Message:
    if size.on_cpu:
        return Message("CPU: {triangles:,} triangles", triangles=size.triangles)
    if not alone:
        return Message("Draw call {number}", number=number + 1)
    if size.material is not None:
        return Message(
            "{number}: material {material}, {joints} joints, {triangles:,} triangles",
            number=number + 1,
            material=size.material + 1,
            joints=size.joints,
            triangles=size.triangles,
        )
    return Message(
        "{number}: {joints} joints, {triangles:,} triangles",
        number=number + 1,
        joints=size.joints,
        triangles=size.triangles,
    )
