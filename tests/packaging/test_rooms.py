"""The tree and the drawing of the rooms in docs/architecture.md match the imports."""

from __future__ import annotations

from pathlib import Path

from docs import write_rooms as rooms

CHECKOUT = Path(__file__).resolve().parents[2]


def checkout_of(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / "skinning_addon" / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def test_page_and_drawing_are_up_to_date():
    tree = rooms.Tree.of(CHECKOUT)
    page = (CHECKOUT / rooms.PAGE).read_text(encoding="utf-8")
    assert page == rooms.page_with(tree, page), "python docs/write_rooms.py --write"
    drawn = (CHECKOUT / rooms.DRAWING).read_text(encoding="utf-8")
    assert drawn == rooms.drawing(tree), "python docs/write_rooms.py --write"


def test_arrows_between_rooms_are_counted_once_and_those_within_not_at_all(tmp_path):
    tree = rooms.Tree.of(
        checkout_of(
            tmp_path,
            core__skinning__skin="from ..text.errors import Error\nfrom .mesh import Mesh\n",
            core__skinning__mesh="from ..text import errors\nfrom ..text.errors import Error\n",
            core__text__errors="import numpy\n",
            scene__files="from ..core.text.errors import Error\n",
        )
    )
    assert tree.rooms["core"] == {"skinning": {"text"}, "text": set()}
    assert tree.rooms["scene"] == {"files": set()}, "an arrow to another layer is the layers' affair"
    assert tree.circles() == []


def test_a_circle_of_files_is_named(tmp_path):
    tree = rooms.Tree.of(
        checkout_of(
            tmp_path,
            core__a="from .b import one\n",
            core__b="def one():\n    from . import a\n",
        )
    )
    (circle,) = tree.circles()
    assert set(circle) == {"core.a", "core.b"}
    assert "circle of files: core." in rooms.counts(tree)
