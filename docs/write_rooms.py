"""The structure of the code as its imports have it: counted, as a tree, and drawn.

`./run lint` prints the counts: for every layer its rooms, the arrows between them, and circles of files. With
--write, it rewrites the tree in docs/architecture.md and the drawing docs/images/rooms.svg. Another checkout
can be counted too, whatever its folders are: `python docs/write_rooms.py ../before`.

An arrow runs from a room to each room of the same layer that it imports. A room is a folder of a layer, or a
file directly in the layer's folder.
"""

from __future__ import annotations

import argparse
import ast
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
PAGE = Path("docs", "architecture.md")
DRAWING = Path("docs", "images", "rooms.svg")
TREE_STARTS, TREE_ENDS = "<!-- rooms: begin -->", "<!-- rooms: end -->"

LAYERS = ("ui", "viewport", "command_line", "measurement", "drawing", "scene", "animation", "core")
"""From those that import to those that are imported."""

FLAT = ("drawing", "animation")
"""Layers without rooms: each file is one, too many to draw."""


@dataclass(frozen=True)
class Tree:
    """A checkout's files and what they import.

    files: path by module, `core.skinning.skin`. imports: for each module, those of the package that it names.
    """

    files: Mapping[str, Path]
    imports: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, checkout: Path) -> Tree:
        """Read all files of the package; nothing of it is run."""
        package = checkout / "skinning_addon"
        files = {_module(path.relative_to(package)): path for path in sorted(package.rglob("*.py"))}
        return cls(
            files, {module: frozenset(_imported(module, path, files)) for module, path in files.items()}
        )

    @cached_property
    def rooms(self) -> dict[str, dict[str, set[str]]]:
        """For each layer, its rooms, and for each of them the rooms of the layer that it uses."""
        layers: dict[str, dict[str, set[str]]] = {layer: {} for layer in LAYERS}
        for module, imported in self.imports.items():
            layer, _, rest = module.partition(".")
            if not rest:
                continue
            used = layers[layer].setdefault(rest.partition(".")[0], set())
            here = rest.partition(".")[0]
            used.update(
                one.split(".")[1]
                for one in imported
                if one.startswith(f"{layer}.") and one.split(".")[1] != here
            )
        return layers

    def files_in(self, layer: str) -> int:
        """Count the files of a layer, without those that only introduce a folder."""
        return sum(
            module.startswith(f"{layer}.") and path.name != "__init__.py"
            for module, path in self.files.items()
        )

    def circles(self) -> list[tuple[str, ...]]:
        """Return one circle of files that import one another, if there is any."""
        try:
            TopologicalSorter(
                {module: set(used) - {module} for module, used in self.imports.items()}
            ).prepare()
        except CycleError as error:
            return [tuple(error.args[1])]
        return []


def _module(path: Path) -> str:
    return ".".join(path.parts[:-1] if path.name == "__init__.py" else path.with_suffix("").parts)


def _imported(module: str, path: Path, files: Mapping[str, Path]) -> Iterator[str]:
    """Name what a file imports relatively, which is all that it imports of the package."""
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        base = ".".join((*package[: len(package) - node.level + 1], *filter(None, [node.module])))
        for name in node.names:
            # `from ..core import arrays` names a module, `from ..core.arrays import sealed` what is in one.
            whole = f"{base}.{name.name}".strip(".")
            found = whole if whole in files else base
            if found in files and found != module:
                yield found


def counts(tree: Tree) -> str:
    """Write a line for each layer, and the circles."""
    lines = [f"{'layer':14}{'files':>6}{'rooms':>7}{'arrows':>8}"]
    lines += [
        f"{layer:14}{tree.files_in(layer):6}{len(rooms):7}{sum(map(len, rooms.values())):8}"
        for layer, rooms in tree.rooms.items()
    ]
    circles = tree.circles()
    lines += [f"circle of files: {' -> '.join(circle)}" for circle in circles] or ["no circle of files"]
    return "\n".join(lines)


def rows_of(rooms: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Sort a layer's rooms into rows: each uses only rooms of the rows below its own, but for circles."""
    height: dict[str, int] = {}

    def climb(room: str, way: frozenset[str]) -> int:
        if room not in height:
            below = (climb(one, way | {room}) for one in sorted(rooms[room]) if one not in way)
            height[room] = 1 + max(below, default=-1)
        return height[room]

    for room in sorted(rooms):
        climb(room, frozenset({room}))
    return [
        sorted(room for room, at in height.items() if at == level)
        for level in sorted(set(height.values()), reverse=True)
    ]


def listing(tree: Tree) -> str:
    """Write the tree for people: every layer and room with the first line of its docstring, as `ls` has
    them.
    """
    lines = ["```text"]
    for layer, rooms in tree.rooms.items():
        lines.append(_entry(f"{layer}/", tree.files[layer]))
        if layer in FLAT:
            continue
        for row in rows_of(rooms):
            for room in row:
                path = tree.files[f"{layer}.{room}"]
                name = f"{room}/" if path.name == "__init__.py" else path.name
                lines.append(_entry(f"  {name}", path))
    return "\n".join((*lines, "```"))


def _entry(name: str, path: Path) -> str:
    return textwrap.fill(
        _first_line(path),
        112,
        initial_indent=f"{name:22}",
        subsequent_indent=" " * 22,
        break_on_hyphens=False,
    )


def _first_line(path: Path) -> str:
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return docstring.partition("\n\n")[0].replace("\n", " ")


BOX_WIDTH, BOX_HEIGHT, GAP, ROW_GAP, MARGIN, TITLE = 116, 24, 12, 40, 16, 24
"""Pixels."""

Place = tuple[float, float]


def drawing(tree: Tree) -> str:
    """Draw the rooms of every layer that has some, with the arrows between them, as SVG."""
    parts: list[str] = []
    top = float(MARGIN)
    width = 0.0
    for layer in LAYERS:
        if layer not in FLAT:
            layer_parts, layer_width, layer_height = _drawn_layer(layer, tree.rooms[layer], top)
            parts += layer_parts
            top += layer_height + MARGIN
            width = max(width, layer_width)
    width += 2 * MARGIN
    return "\n".join(
        (
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{top:g}" '
                f'font-family="sans-serif" '
                f'font-size="12">'
            ),
            (
                '<defs><marker id="tip" viewBox="0 0 6 6" refX="6" refY="3" markerWidth="6" '
                'markerHeight="6" orient="auto"><path d="M0 0 6 3 0 6z" fill="#5b7083"/></marker></defs>'
            ),
            f'<rect width="{width:g}" height="{top:g}" fill="#ffffff"/>',
            *parts,
            "</svg>\n",
        )
    )


def _drawn_layer(layer: str, rooms: Mapping[str, set[str]], top: float) -> tuple[list[str], float, float]:
    """Draw one layer. Returns its parts, width and height."""
    rows = rows_of(rooms)
    widest = max(map(len, rows))
    width = widest * (BOX_WIDTH + GAP) + GAP
    places: dict[str, Place] = {}
    for number, row in enumerate(rows):
        left = MARGIN + (width - len(row) * (BOX_WIDTH + GAP) + GAP) / 2
        for column, room in enumerate(row):
            places[room] = (
                left + column * (BOX_WIDTH + GAP),
                top + TITLE + GAP + number * (BOX_HEIGHT + ROW_GAP),
            )
    height = TITLE + 2 * GAP + len(rows) * (BOX_HEIGHT + ROW_GAP) - ROW_GAP
    arrows = sum(map(len, rooms.values()))
    parts = [
        f'<rect x="{MARGIN}" y="{top:g}" width="{width:g}" height="{height:g}" rx="6" fill="#eef2f5"/>',
        (
            f'<text x="{MARGIN + GAP}" y="{top + 18:g}" font-weight="bold" fill="#22313f">{layer}: '
            f"{len(rooms)} rooms, "
            f"{arrows} arrows</text>"
        ),
    ]
    parts += [_arrow(places[room], places[one]) for room in sorted(rooms) for one in sorted(rooms[room])]
    parts += [_box(room, *place) for room, place in places.items()]
    return parts, width, height


def _arrow(start: Place, end: Place) -> str:
    x0, y0 = start[0] + BOX_WIDTH / 2, start[1] + BOX_HEIGHT
    x1, y1 = end[0] + BOX_WIDTH / 2, end[1]
    bend = (y1 - y0) / 2
    return (
        f'<path d="M{x0:g} {y0:g}C{x0:g} {y0 + bend:g} {x1:g} {y1 - bend:g} {x1:g} {y1:g}" fill="none" '
        f'stroke="#5b7083" stroke-opacity="0.6" marker-end="url(#tip)"/>'
    )


def _box(room: str, left: float, top: float) -> str:
    return (
        f'<rect x="{left:g}" y="{top:g}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="4" fill="#ffffff" '
        f'stroke="#33658a"/><text x="{left + BOX_WIDTH / 2:g}" y="{top + 16:g}" text-anchor="middle" '
        f'fill="#22313f">{room}</text>'
    )


def page_with(tree: Tree, page: str) -> str:
    """Return docs/architecture.md with the tree as it is now."""
    before, _, rest = page.partition(TREE_STARTS)
    after = rest.partition(TREE_ENDS)[2]
    return f"{before}{TREE_STARTS}\n{listing(tree)}\n{TREE_ENDS}{after}"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("checkout", nargs="?", type=Path, default=CHECKOUT)
    parser.add_argument("--write", action="store_true", help=f"rewrite {PAGE.name} and {DRAWING.name}")
    parser.add_argument(
        "--draw", type=Path, metavar="FILE.svg", help="draw the checkout's rooms into this file"
    )
    arguments = parser.parse_args()
    tree = Tree.of(arguments.checkout)
    print(counts(tree))
    if arguments.draw:
        arguments.draw.write_text(drawing(tree), encoding="utf-8")
    if arguments.write:
        page = arguments.checkout / PAGE
        page.write_text(page_with(tree, page.read_text(encoding="utf-8")), encoding="utf-8")
        (arguments.checkout / DRAWING).write_text(drawing(tree), encoding="utf-8")
    return 1 if tree.circles() else 0


if __name__ == "__main__":
    sys.exit(main())
