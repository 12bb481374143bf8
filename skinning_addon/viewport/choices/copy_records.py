"""What game-ready copies are worth, kept with them in the file: as JSON, in a property of the collection.

It names the original by what it is called when the file is saved. A pointer would have Blender evaluate the
original wherever the copy is shown, and take it along wherever the copy is appended.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import bpy

from ...core.text.message import Message
from ...core.text.message_record import recorded, restored
from ...measurement.profiles.copy_parts import CopiedPart
from ...scene.identification import identity
from .copy_results import CopiedBlocks, CopyResult

RECORD = "skinscope_copy_record"

GONE = 0
"""No data-block has this session_uid."""


def write_record(result: CopyResult) -> None:
    """Keep a result with its copy, under the names that all objects have now."""
    collection = result.collection
    if collection is None or collection.library is not None:
        return
    text = json.dumps(_recorded(result))
    if collection.get(RECORD) != text:
        # Writing makes Blender evaluate the scene again.
        collection[RECORD] = text


def saved_results() -> Iterator[tuple[int, CopyResult]]:
    """Yield the session_uids of this file's scenes and the results that are kept with their copies, older ones
    first.
    """
    found = [
        (scene.session_uid, result)
        for scene in bpy.data.scenes
        for collection in scene.collection.children_recursive
        if collection.library is None and (result := _read_record(collection)) is not None
    ]
    yield from sorted(found, key=lambda one: one[1].seconds)


def _read_record(collection: bpy.types.Collection) -> CopyResult | None:
    """Return the result stored with a copy; None without one, or if the collection only duplicates a copy's."""
    try:
        result = _restored(json.loads(collection[RECORD]), collection)
    except (LookupError, TypeError, ValueError, AttributeError):
        return None
    return result if any(copy != GONE for _, copy in result.blocks.pairs) else None


def _recorded(result: CopyResult) -> dict[str, Any]:
    objects = {one.session_uid: one for one in bpy.data.objects}
    pairs = result.blocks.pairs
    originals = [objects.get(one) for one, _ in pairs]
    names = zip(originals, result.names, strict=True)
    return {
        "names": [name if one is None else str(identity(one)) for one, name in names],
        "originals": [None if one is None else _place(one) for one in originals],
        "copies": [one.name if (one := objects.get(uid)) is not None else None for _, uid in pairs],
        "engine": result.engine,
        "before": result.before,
        "after": result.after,
        "parts": [[recorded(one.part), one.before, one.after] for one in result.parts],
        "left": recorded(result.left),
        "fit": recorded(result.fit),
        "unfitted": recorded(result.unfitted),
        "missed": [recorded(one) for one in result.missed],
        "seconds": result.seconds,
        "outdated": result.outdated,
    }


def _restored(held: dict[str, Any], collection: bpy.types.Collection) -> CopyResult:
    places = {_place(one): one.session_uid for one in bpy.data.objects}
    own = {one.name: one.session_uid for one in collection.objects if one.library is None}
    originals = [GONE if one is None else places.get((one[0], one[1]), GONE) for one in held["originals"]]
    copies = [own.get(one, GONE) for one in held["copies"]]
    armatures, *meshes = zip(originals, copies, strict=True)
    names = tuple(str(one) for one in held["names"])
    if len(names) != len(originals):
        raise ValueError(names)
    return CopyResult(
        blocks=CopiedBlocks(collection.session_uid, armatures, tuple(meshes)),
        names=names,
        engine=str(held["engine"]),
        before=float(held["before"]),
        after=float(held["after"]),
        parts=tuple(
            CopiedPart(_text(part), float(before), float(after)) for part, before, after in held["parts"]
        ),
        left=_sentence(held["left"]),
        fit=_sentence(held["fit"]),
        unfitted=_sentence(held["unfitted"]),
        missed=tuple(Message(_text(one)) for one in held["missed"]),
        seconds=float(held["seconds"]),
        outdated=bool(held["outdated"]),
    )


def _sentence(held: Any) -> Message | None:
    return None if held is None else Message(_text(held))


def _text(held: Any) -> str:
    """Return a message, or a name."""
    text = restored(held)
    if not isinstance(text, str):
        raise TypeError(text)
    return text


def _place(block: bpy.types.Object) -> tuple[str, str]:
    """Return an object's name and that of its library, which keeps it when the file is saved elsewhere."""
    return block.name, block.library.name if block.library is not None else ""
