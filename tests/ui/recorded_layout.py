"""What is drawn into a layout, without a window: its rows, how high they are, and the room that each text has.

A property's name takes two fifths of the width at interface scale 1. Texts are measured by `blf`, with the font
that Blender's widgets use. Heights include the gaps that Blender leaves between rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import blf
import bpy

POINTS = 11.0
ICON = UNIT = 20.0
MARGIN = 8.0
BUTTON_MARGIN = 4.0
NAME_SHARE = 0.4
BOX_MARGIN = 6.0
PANEL_GAP = 0.25
"""Between what stands below one another in a panel, in widgets."""
GAP = 0.1
"""The same in a column within it that is not aligned."""
LIST_MARGIN = 10.0
SCROLLBAR = 18.0
LIST_FRAME = 0.7
"""Height of a list's frame and its handle, in widgets."""

Translate = Callable[[str, str], str]
"""A text in the context of Blender's table, to what the interface shows."""


@dataclass
class Text:
    """A text that is drawn. room: in pixels."""

    text: str
    room: float
    what: str

    @property
    def width(self) -> float:
        """In pixels, in the interface's font."""
        blf.size(0, POINTS)
        return blf.dimensions(0, self.text)[0]


@dataclass
class Button:
    """An operator's button. properties: what was set for the call."""

    operator: str
    text: str
    properties: SimpleNamespace


class Recorded:
    """Stands in for a `UILayout`.

    kind: how children are laid out: 'column' or 'row'. gap: between the rows of a column, in widgets.
    context: what lists are drawn in.
    """

    def __init__(
        self,
        width: float,
        kind: str = "column",
        translate: Translate = lambda _context, text: text,
        gap: float = 0.0,
    ):
        self._width, self._kind, self._translate, self._gap = width, kind, translate, gap
        self._children: list[Recorded | float] = []
        self._texts: list[Text] = []
        self._buttons: list[Button] = []
        self._factor: float | None = None
        self._columns = 0
        self._fixed = self._taken = 0.0
        self.context: Any = bpy.context
        self.operator_context = "EXEC_DEFAULT"
        self.use_property_split = self.use_property_decorate = False
        self.active = self.enabled = True
        self.active_default = self.alert = False
        self.alignment, self.emboss = "EXPAND", "NORMAL"
        self.scale_x = self.scale_y = 1.0
        self.ui_units_x = 0.0

    @property
    def height(self) -> float:
        """In widgets."""
        heights = [one if isinstance(one, float) else one.height for one in self._children]
        if self._fixed:
            return self._fixed
        if self._kind == "row":
            rows = max(heights, default=0.0)
        elif self._columns:
            rows = max(heights, default=0.0) * -(-len(heights) // self._columns)
        else:
            rows = sum(heights) + self._gap * max(0, len(heights) - 1)
        # Sums in another order may differ in their last digit.
        return round(rows * self.scale_y + (0.5 if self._kind == "box" else 0.0), 6)

    @property
    def texts(self) -> Iterator[Text]:
        """All texts that were drawn, with the room they have."""
        yield from self._texts
        for one in self._children:
            if isinstance(one, Recorded):
                yield from one.texts

    @property
    def buttons(self) -> Iterator[Button]:
        """All operators that were drawn."""
        yield from self._buttons
        for one in self._children:
            if isinstance(one, Recorded):
                yield from one.buttons

    @property
    def too_wide(self) -> list[str]:
        """The texts for which there is not enough room."""
        return [
            f"{one.what}: '{one.text}' takes {one.width:.0f} of {one.room:.0f} pixels"
            for one in self.texts
            if one.text and one.width > one.room
        ]

    def _child(self, kind: str, **attributes: object) -> Recorded:
        child = Recorded(self._width, kind, self._translate)
        child.use_property_split, child.context = self.use_property_split, self.context
        child.__dict__.update(attributes)
        self._children.append(child)
        return child

    def _item(self, text: str, taken: float, what: str) -> None:
        """A widget with a text. taken: pixels of it that are not for the text."""
        item = Recorded(self._width, "item", self._translate)
        item._children.append(1.0)
        item._texts.append(Text(text, taken, what))
        self._children.append(item)

    def _told(self, text: str, context: str = "*", *, translate: bool = True) -> str:
        return self._translate(context, text) if translate and text else text

    def row(self, **_: object) -> Recorded:
        return self._child("row")

    def column(self, *, align: bool = False, **_: object) -> Recorded:
        return self._child("column", _gap=0.0 if align else GAP)

    def box(self) -> Recorded:
        return self._child("box", _gap=GAP)

    def split(self, factor: float = 0.5, **_: object) -> Recorded:
        return self._child("row", _factor=factor)

    def grid_flow(self, columns: int = 0, **_: object) -> Recorded:
        return self._child("grid", _columns=columns)

    def panel(self, _name: str, *, default_closed: bool = False) -> tuple[Recorded, Recorded | None]:
        header = self._child("row")
        return header, None if default_closed else self._child("column", _gap=PANEL_GAP)

    def separator(self, **_: object) -> None:
        self._children.append(0.3)

    def context_pointer_set(self, *_: object) -> None:
        """Takes no room."""

    def label(
        self, *, text: str = "", icon: str = "NONE", translate: bool = True, text_ctxt: str = "*", **_: object
    ):
        self._item(
            self._told(text, text_ctxt, translate=translate),
            MARGIN + (ICON if icon != "NONE" else 0.0),
            "label",
        )

    def operator(
        self, name: str, *, text: str | None = None, icon: str = "NONE", translate: bool = True, **_: object
    ):
        shown = self._told(_operator(name).name if text is None else text, "Operator", translate=translate)
        self._item(shown, MARGIN + (ICON if icon != "NONE" else 0.0), name)
        self._buttons.append(Button(name, shown, SimpleNamespace()))
        return self._buttons[-1].properties

    def operator_menu_enum(
        self, name: str, _property: str, *, text: str | None = None, icon: str = "NONE", **_: object
    ):
        self.operator(name, text=text, icon=icon)

    def menu(self, name: str, *, text: str | None = None, icon: str = "NONE", **_: object) -> None:
        self._item(self._told(text or ""), MARGIN + (ICON if icon != "NONE" else 0.0), name)

    popover = menu

    def prop(
        self,
        owner: Any,
        name: str,
        *,
        text: str | None = None,
        icon: str = "NONE",
        expand: bool = False,
        translate: bool = True,
        **_: object,
    ):
        rna = owner.bl_rna.properties[name]
        told = self._told(rna.name if text is None else text, rna.translation_context, translate=translate)
        row = self._child("row")
        where = f"{type(owner).__name__}.{name}"
        iconed = ICON if icon != "NONE" else 0.0
        if self.use_property_split and told and rna.type != "BOOLEAN":
            row._factor = NAME_SHARE
            row._item(told, 0.0, where)
            row = row._child("row")
            told = ""
        elif self.use_property_split and rna.type == "BOOLEAN":
            row._factor = NAME_SHARE
            row._item("", 0.0, where)
            row = row._child("row")
        if rna.type == "ENUM" and expand:
            if told and text is None and not rna.enum_items:
                row._item(told, 0.0, where)
            for one in rna.enum_items:
                row._item(
                    self._told(one.name, rna.translation_context), BUTTON_MARGIN, f"{where} {one.identifier}"
                )
        elif rna.type == "ENUM":
            for one in rna.enum_items or ():
                shown = self._told(one.name, rna.translation_context)
                cell = row if one == rna.enum_items[0] else None
                taken = MARGIN + ICON + (ICON if one.icon != "NONE" else 0.0)
                if cell is not None:
                    cell._item(shown, taken, f"{where} {one.identifier}")
                else:
                    row._children[-1]._texts.append(Text(shown, taken, f"{where} {one.identifier}"))
            if not rna.enum_items:
                row._item("", 0.0, where)
        elif rna.type == "BOOLEAN":
            row._item(told, MARGIN + (iconed or ICON), where)
        elif rna.type in {"INT", "FLOAT"}:
            # The name left and the value right, of up to six characters.
            row._item(f"{told} 000000" if told else "000000", 2 * MARGIN, where)
        else:
            row._item("", 0.0, where)

    def prop_enum(self, owner: Any, name: str, value: str, **_: object) -> None:
        rna = owner.bl_rna.properties[name]
        self._item(
            self._told(rna.enum_items[value].name, rna.translation_context), BUTTON_MARGIN, f"{name} {value}"
        )

    def prop_search(self, owner: Any, name: str, *_: object, text: str | None = None, **__: object) -> None:
        rna = owner.bl_rna.properties[name]
        told = self._told(rna.name if text is None else text, rna.translation_context)
        row = self._child("row")
        row._factor = NAME_SHARE
        row._item(told, 0.0, f"{type(owner).__name__}.{name}")
        row._item("", 0.0, name)

    def template_list(
        self, kind: str, _id: str, owner: Any, items: str, active_owner: Any, active: str, *, rows: int = 5
    ) -> None:
        listed = getattr(owner, items)
        drawing = _List(getattr(bpy.types, kind))
        filters = getattr(getattr(bpy.types, kind), "filter_items", None)
        flags = filters(drawing, self.context, owner, items)[0] if filters and listed else []
        shown = [one for number, one in enumerate(listed) if not flags or flags[number]]
        room = self._child("list", _fixed=rows + LIST_FRAME)
        room._taken = LIST_MARGIN + (SCROLLBAR if len(shown) > rows else 0.0)
        for one in shown:
            row = room.row()
            drawing.draw_item(self.context, row, owner, one, 0, active_owner, active)

    def settle(self) -> Recorded:
        """Give everything its width, from the outside in; then the texts' rooms are known."""
        for text in self._texts:
            text.room = self._width - text.room
        inner = self._width - (2 * BOX_MARGIN if self._kind == "box" else self._taken)
        layouts = [one for one in self._children if isinstance(one, Recorded)]
        # All of them before the first is settled, which changes what is known about its texts.
        shares = [self._share(number, layouts) for number in range(len(layouts))]
        for one, share in zip(layouts, shares, strict=True):
            one._width = inner * share
            one.settle()
        return self

    def _share(self, number: int, layouts: list[Recorded]) -> float:
        if self._columns:
            return 1.0 / self._columns
        if self._kind != "row":
            return 1.0
        if self._factor is not None and len(layouts) > 1:
            return self._factor if number == 0 else (1 - self._factor) / (len(layouts) - 1)
        # Blender keeps what is narrow or aligned, and stretches or shrinks the rest alike.
        kept = [one._natural if one._keeps else 0.0 for one in layouts]
        if layouts[number]._keeps:
            return kept[number] / self._width
        rest = sum(one._natural for one in layouts if not one._keeps)
        return max(0.0, self._width - sum(kept)) * layouts[number]._natural / rest / self._width

    @property
    def _keeps(self) -> bool:
        return self._natural <= 2 * UNIT or (self._kind == "row" and self.alignment == "RIGHT")

    @property
    def _natural(self) -> float:
        """How wide Blender makes it before it fits a row's items into the row."""
        if self.ui_units_x:
            return UNIT * self.ui_units_x
        inner = [one for one in self._children if isinstance(one, Recorded)]
        if self._kind == "row" and self.alignment == "RIGHT":
            return max((one.width for one in self.texts), default=0.0) + MARGIN
        if inner and not self._columns and self._kind != "item":
            widths = [one._natural for one in inner]
            return sum(widths) if self._kind == "row" else max(widths)
        is_icon = self._kind == "item" and all(not one.text and one.room > MARGIN for one in self._texts)
        return UNIT if is_icon else 10 * UNIT


class _List:
    """Stands in for a `UIList`, which only Blender can make."""

    bitflag_filter_item = 1 << 30
    layout_type = "DEFAULT"

    def __init__(self, kind: type) -> None:
        self._kind = kind

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kind, name).__get__(self)


def _operator(name: str) -> Any:
    group, operator = name.split(".")
    return getattr(getattr(bpy.ops, group), operator).get_rna_type()
