"""Someone who works in the window: looks at the screen, moves the mouse, clicks and types."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from tests.windowed.harness import BlenderFailedError, WindowedBlender
from tests.windowed.hour.panel_picture import Picture, cut_texts, folded_arrows, rows_of_largest

Text = tuple[str, float, float, float, float]
"""A text in a 3D view and its box: (text, left, bottom, right, top), in pixels."""

REGION = """\
with view3d() as area:
    found = next(one for one in area.regions if one.type == {kind!r})
    box = [found.x, bpy.context.window.height - found.y - found.height, found.width, found.height]
box"""
TABS = 27
"""The width of the tabs beside the sidebar's panels, in pixels at interface scale 1."""
FIRST_ROWS = 3
"""After the engine: the rows among which the verdict of a check stands."""
ROW = 26
"""The height of a row of the sidebar, in pixels at interface scale 1."""
LOOKS = 8
"""Looks after which a picture that still changes is taken as it is."""
CLICKS = 10
"""Places in a row of choices to click on."""
AGREEING = 2
"""Times gray that have to agree about where a button is."""
SCROLLS = 80
"""Turns of the wheel after which the end of all panels has been reached."""
TURNS = 5
"""Turns of the wheel between two looks."""


@dataclass(frozen=True)
class Box:
    """A part of the screen, in pixels from its top left corner."""

    left: int
    top: int
    width: int
    height: int

    def cut(self, picture: Picture) -> Picture:
        """Return this part of a picture of the screen."""
        return picture[self.top : self.top + self.height, self.left : self.left + self.width]

    def at(self, across: float = 0.5, down: float = 0.5) -> tuple[int, int]:
        """Return the point that is so far across and down, as fractions of the width and height."""
        return self.left + round(across * self.width), self.top + round(down * self.height)


@dataclass
class Artist:
    """Works in a Blender into which panel_record.py has been loaded.

    scale: of the interface. complaints: what was wrong on the screens so far, each with its step.
    """

    blender: WindowedBlender
    scale: float = 1.0
    complaints: list[str] = field(default_factory=list)
    step: str = ""

    def region(self, kind: str = "WINDOW") -> Box:
        """Locate a region of the 3D view."""
        return Box(*self.blender.run(REGION.format(kind=kind)))

    @property
    def panels(self) -> Box:
        """The sidebar without its tabs."""
        side = self.region("UI")
        return Box(side.left, side.top, side.width - round(TABS * self.scale), side.height)

    def move(self, x: int, y: int) -> None:
        """Move the mouse, in two steps, so that Blender sees it arrive."""
        self.blender.xdotool("mousemove", str(x - 2), str(y - 2), "mousemove", str(x), str(y))
        time.sleep(0.05)

    def click(self, x: int, y: int, *, times: int = 1) -> None:
        """Click with the left mouse button."""
        self.move(x, y)
        for _ in range(times):
            self.blender.xdotool("click", "1")
        time.sleep(0.1)

    def drag(self, path: list[tuple[int, int]]) -> None:
        """Draw a line with the left mouse button held."""
        self.move(*path[0])
        self.blender.xdotool("mousedown", "1")
        for x, y in path[1:]:
            time.sleep(0.05)
            self.blender.xdotool("mousemove", str(x), str(y))
        time.sleep(0.05)
        self.blender.xdotool("mouseup", "1")
        time.sleep(0.1)

    def press(self, *keys: str, across: float = 0.4, down: float = 0.5) -> None:
        """Press keys, one after another, with the mouse over the 3D view."""
        self.move(*self.region().at(across, down))
        self.type(*keys)

    def type(self, *keys: str) -> None:
        """Press keys where the mouse is."""
        for key in keys:
            self.blender.xdotool("key", key)
            time.sleep(0.15)

    def find(self, kind: str, name: str, index: int = 0) -> Box:
        """Locate a button of the panels on screen, scrolling to it as far as needed.

        kind: operator or property. index: which of several buttons of that name, from the top.

        Raises:
            BlenderFailedError: the panels that are open have none.
        """
        self.move_away()
        for turn in range(SCROLLS // TURNS):
            found = self.grayed_out(kind, name, index)
            if found is not None:
                return found
            self.scroll(*((TURNS, False) if turn else (SCROLLS, True)))
        raise BlenderFailedError(f"no panel on screen has the {kind} {name!r}, number {index}")

    def grayed_out(self, kind: str, name: str, index: int) -> Box | None:
        """Gray a button out and back; return where that is seen, None if it isn't on screen as a whole.

        What is on the screen may change meanwhile, as figures do while clips play. The button is what is one way
        each time that it is gray and another way each time that it isn't, and it has been found once a further
        time gray changes nothing about where that is.
        """
        panels = self.panels
        where = before = None
        agreeing = 0
        for _ in range(LOOKS):
            pair = np.stack([self.panels_with(panels, one) for one in (None, (kind, name, index))])
            found = changed = (pair[0] != pair[1]).any(axis=2)
            if where is not None and before is not None:
                steady = where & changed & (pair == before).all(axis=(0, 3))
                # None left: the panels have moved, so start over.
                found = steady if steady.any() else changed
                agreeing = agreeing + 1 if np.array_equal(found, where) else 0
            where, before = found, pair
            if agreeing >= (AGREEING if found.any() else 1):
                break
        self.panels_with(panels, None)
        if where is None or agreeing < AGREEING:
            return None
        # Figures that change while a clip plays may by chance have looked the same each time.
        rows, columns = np.nonzero(rows_of_largest(where))
        if not len(rows) or rows.min() < 2 or rows.max() >= panels.height - 2:
            return None
        left, top = int(columns.min()), int(rows.min())
        return Box(panels.left + left, panels.top + top, int(columns.max()) - left, int(rows.max()) - top)

    def panels_with(self, panels: Box, grayed: tuple[str, str, int] | None) -> Picture:
        """Take the part of the screen where the panels are, drawn with this button grayed out, or none."""
        self.blender.run(f"gray(*{grayed or (None, None)})")
        self.blender.wait_until("grayed['drawn']")
        return panels.cut(self.blender.screenshot(settled=False, keep=False))

    def settled_panels(self, panels: Box) -> Picture:
        """Take the part of the screen where the panels are, once it has come to rest."""
        after = panels.cut(self.blender.screenshot(settled=False, keep=False))
        for _ in range(LOOKS):
            time.sleep(0.05)
            before, after = after, panels.cut(self.blender.screenshot(settled=False, keep=False))
            if np.array_equal(before, after):
                break
        return after

    def scroll(self, turns: int, up: bool = False) -> None:
        """Turn the wheel over the panels."""
        self.move(*self.panels.at(0.9))
        self.blender.xdotool("click", "--repeat", str(turns), "--delay", "10", "4" if up else "5")
        time.sleep(0.1)
        self.move_away()

    def move_away(self) -> None:
        """Move the mouse off all buttons, whose tooltips would cover others."""
        self.move(*self.region().at(0.3, 0.97))

    def push(self, operator: str, index: int = 0) -> None:
        """Click the button of an operator."""
        self.click(*self.find("operator", operator, index).at())
        self.move_away()

    def set(self, name: str, across: float = 0.7) -> None:
        """Click the field of a property."""
        self.click(*self.find("property", name).at(across))

    def take(self, name: str, chosen: str) -> None:
        """Click on choices that stand side by side, from the left, until the right one is chosen: their widths
        depend on the language. chosen: an expression that is true then.

        Raises:
            BlenderFailedError: none of them makes it true.
        """
        box = self.find("property", name)
        for number in range(CLICKS):
            self.click(*box.at((number + 0.5) / CLICKS))
            # The first turn of the event loop only brings the click.
            for _ in range(3):
                self.blender.run("None")
            if self.blender.run("name_things()\n" + chosen):
                self.move_away()
                return
        raise BlenderFailedError(f"no choice of {name} makes it true: {chosen}")

    def choose(self, name: str, item: int) -> None:
        """Open a menu of choices and take the one with this number from the top."""
        self.set(name)
        time.sleep(0.3)
        self.type("Home", *["Down"] * item, "Return")

    def unfold(self, panel: str) -> None:
        """Open a panel that is folded, by a click on its header.

        Where a header is can't be asked: the headers that are on screen are tried, from their arrows.

        Raises:
            BlenderFailedError: no header on screen opens it.
        """
        tried = 0
        self.scroll(SCROLLS, True)
        while tried < SCROLLS // TURNS:
            panels = self.panels
            picture = self.settled_panels(panels)
            for x, y in folded_arrows(picture, self.scale):
                self.blender.run("said.clear()")
                self.click(panels.left + x + round(40 * self.scale), panels.top + y)
                self.settled_panels(panels)
                if self.blender.run(f"{panel!r} in said"):
                    return
                self.click(panels.left + x + round(40 * self.scale), panels.top + y)
                self.settled_panels(panels)
            tried += 1
            self.scroll(TURNS)
        raise BlenderFailedError(f"no header on screen opens {panel}")

    def look_for_verdict(self) -> Picture:
        """Look at the screen, where the verdict has to be seen without scrolling: that of the check in the first
        rows, and that of the preview before the end of the sidebar.
        """
        self.scroll(SCROLLS, True)
        picture = self.look()
        rows = self.blender.run("said['SKINSCOPE_PT_preview']")
        checked, live = self.blender.run("verdicts()")
        if checked and not any(checked.startswith(one) for one in rows[:FIRST_ROWS]):
            self.note(f"the verdict {checked!r} is not among the first rows: {rows[:FIRST_ROWS]}")
        room = int(self.panels.height / (ROW * self.scale))
        if live and not any(live.startswith(one) for one in rows[:room]):
            self.note(f"the verdict {live!r} is not in the first {room} rows: {rows[:room]}")
        return picture

    def look(self, *, settled: bool = True) -> Picture:
        """Look at the whole screen after a step, and note what is wrong with it."""
        picture = self.blender.screenshot(settled=settled, name=self.step, timeout=120)
        for x, y in cut_texts(self.panels.cut(picture), self.scale):
            self.note(f"a text of the sidebar is cut short at ({x}, {y})")
        self.look_at_writing()
        return picture

    def look_at_writing(self) -> None:
        """Note texts in the 3D view that cover one another, or that reach beyond it, in any of the redraws since
        the last look.
        """
        for (width, height), texts in self.blender.run("take_writings()"):
            for complaint in complaints_about({tuple(one) for one in texts}, width, height):
                self.note(complaint)

    def note(self, complaint: str) -> None:
        told = f"{self.step}: {complaint}"
        if told not in self.complaints:
            self.complaints.append(told)


def complaints_about(texts: Iterable[Text], width: int, height: int) -> Iterator[str]:
    """Say which texts of a view cover one another, or reach beyond it. width, height: of the view, in pixels."""
    placed = sorted(texts)
    for text, left, bottom, right, top in placed:
        if left < 0 or bottom < 0 or right > width or top > height:
            yield f"{text!r} reaches beyond the view"
        for other, *box in placed:
            apart = left >= box[2] or right <= box[0] or bottom >= box[3] or top <= box[1]
            if other > text and not apart:
                yield f"{text!r} and {other!r} cover one another"
