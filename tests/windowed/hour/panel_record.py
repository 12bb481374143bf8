"""Runs inside Blender: records what the panels of the sidebar say and what is written in the 3D view, and
lights up one button, so that its position is seen.
"""

from typing import TYPE_CHECKING, Any

import blf
import bpy

if TYPE_CHECKING:
    from tests.windowed.driver import view3d  # The driver provides these to all code it runs.

said: dict[str, list[str]] = {}
"""The labels of each panel when it was drawn last, from top to bottom."""

offered: dict[str, list[str]] = {}
"""The operators that each panel had a button for when it was drawn last."""

labels: list[str] = []
operators: list[str] = []
"""Those of the panel that is being drawn."""

drawn: set[Any] = set()
"""The panels that this drawing of the sidebar has come to."""

readings: list[tuple[str, list[str]]] = []
"""What panels said each time that one was drawn, in their order: (its name, its labels). It is left to whoever reads it
to empty it.
"""

writing: list[tuple[str, float, float, float, float]] = []
"""The texts that the last redraw of the 3D view has written so far: (text, left, bottom, right, top)."""

writings: list[tuple[tuple[int, int], list[tuple[str, float, float, float, float]]]] = []
"""The width and height of the view, and what was written in it, for each redraw that ended since `take_writings`."""

grayed: dict[str, Any] = {"kind": None, "name": None, "index": 0, "seen": 0, "drawn": False}
"""The button to gray out: whether it's an operator or a property, its name, and which of several; and whether a
panel has been drawn since that was said.
"""


class GrayingLayout:
    """Forwards everything to a layout, and grays out the button that is wanted."""

    def __init__(self, layout: Any) -> None:
        object.__setattr__(self, "real", layout)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self.real, name, value)

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self.real, name)
        if not callable(attribute):
            return attribute

        def call(*arguments: Any, **options: Any) -> Any:
            target = attribute
            if name == "label" and options.get("text"):
                labels.append(options["text"])
            if name.startswith("operator"):
                operators.append(options["operator"] if "operator" in options else arguments[0])
            named = (
                arguments[1] if name in {"prop", "prop_menu_enum"} and len(arguments) > 1 else arguments[:1]
            )
            wanted = named if isinstance(named, str) else "".join(map(str, named))
            if name.startswith(("operator", "prop")) and self.is_wanted(name, wanted, options):
                row = self.real.row(align=True)
                row.enabled = False
                # One that is gray anyway is seen by its frame.
                row.emboss = "NONE"
                target = getattr(row, name)
            return wrapped(target(*arguments, **options))

        return call

    def is_wanted(self, name: str, wanted: str, options: dict[str, Any]) -> bool:
        kind = "operator" if name.startswith("operator") else "property"
        wanted = options.get("operator", options.get("property", wanted))
        if grayed["kind"] != kind or grayed["name"] != wanted:
            return False
        grayed["seen"] += 1
        return grayed["seen"] - 1 == grayed["index"]


def wrapped(value: Any) -> Any:
    """Wrap the layouts among what a layout returns."""
    if isinstance(value, bpy.types.UILayout):
        return GrayingLayout(value)
    if isinstance(value, tuple):
        return tuple(wrapped(one) for one in value)
    return value


class GrayingPanel:
    """Stands for a panel while it draws."""

    def __init__(self, panel: Any) -> None:
        self.panel = panel
        self.layout = GrayingLayout(panel.layout)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.panel, name)


def record(kind: Any) -> None:
    draw = kind.draw

    def recorded(self: Any, context: bpy.types.Context) -> None:
        if kind in drawn:
            # The sidebar is being drawn once more.
            drawn.clear()
            grayed["seen"] = 0
        drawn.add(kind)
        grayed["drawn"] = True
        labels.clear()
        operators.clear()
        draw(GrayingPanel(self), context)
        said[kind.__name__], offered[kind.__name__] = list(labels), list(operators)
        readings.append((kind.__name__, list(labels)))

    kind.draw = recorded


def gray(kind: str | None, name: str | None, index: int = 0) -> None:
    """Gray out a button from now on, or none."""
    grayed.update(kind=kind, name=name, index=index, seen=0, drawn=False)
    with view3d() as area:
        for region in area.regions:
            region.tag_redraw()


def sidebar() -> bpy.types.Region:
    with view3d() as area:
        return next(one for one in area.regions if one.type == "UI")


def buttons() -> list[str]:
    """List the operators that have a button in the panels."""
    return [name for one in offered.values() for name in one]


def record_rows(kind: Any) -> None:
    """Let the rows of a list be grayed out, by the number of the item."""
    draw = kind.draw_item

    # Blender counts the arguments.
    def recorded(  # noqa: PLR0917 - see above
        self: Any, context: Any, layout: Any, data: Any, item: Any, icon: int, active_data: Any, active: str
    ) -> None:
        if grayed["kind"] == "row" and str(item.number) == grayed["name"]:
            layout.enabled = False
        draw(self, context, layout, data, item, icon, active_data, active)

    kind.draw_item = recorded


def write(font: int, text: str, **options: Any) -> Any:
    region = bpy.context.region
    if region is not None and region.type == "WINDOW" and bpy.context.area.type == "VIEW_3D":
        x, y, _ = positions.get(font, (0, 0, 0))
        width, height = blf.dimensions(font, text)
        writing.append((text, x, y, x + width, y + height))
    return blf_draw(font, text, **options)


def put(font: int, x: float, y: float, z: float) -> None:
    positions[font] = (x, y, z)
    blf_position(font, x, y, z)


def begin_writing() -> None:
    """Called as the first of all that draw in a 3D view: what was written until now is another redraw's."""
    end_writing()
    size[:] = bpy.context.region.width, bpy.context.region.height


def end_writing() -> None:
    """Keep what the last redraw has written, unless the one before wrote the same."""
    one = ((size[0], size[1]), list(writing))
    if writing and (not writings or writings[-1] != one):
        writings.append(one)
    writing.clear()


def take_writings() -> list[Any]:
    """Return what was written in the 3D view since this was asked last, redraw by redraw, and forget it."""
    end_writing()
    taken = list(writings)
    # What stands there goes on to.
    del writings[:-1]
    return taken


size = [0, 0]
"""The width and height of the 3D view that is being drawn."""
positions: dict[int, tuple[float, float, float]] = {}
blf_draw, blf_position = blf.draw, blf.position
blf.draw, blf.position = write, put
bpy.types.SpaceView3D.draw_handler_add(begin_writing, (), "WINDOW", "PRE_VIEW")
for panel_name in dir(bpy.types):
    if panel_name.startswith("SKINSCOPE_PT_"):
        panel = getattr(bpy.types, panel_name)
        if getattr(panel, "bl_space_type", "") == "VIEW_3D" and "draw" in panel.__dict__:
            record(panel)
record_rows(bpy.types.SKINSCOPE_UL_findings)
