"""What decides how a character looks at each frame, to find out which frames an edit has changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import bpy

from ...scene.clips.curve_spans import CurveKey, CurveKeys, Span, changed_spans, read_curves
from ...scene.objects.settings_digest import UnknownAnimationError, animated_channels, settings_digest
from .groups import Group


@dataclass(frozen=True, eq=False)
class Likeness:
    """A character's objects, armatures and actions as they are; meshes, and the rest that it relies on, are not
    among it.

    settings: by session_uid, all that is set on objects and armatures, other than by animation. curves: by the
    action's session_uid.
    """

    settings: Mapping[int, bytes]
    curves: Mapping[int, Mapping[CurveKey, CurveKeys]]

    def covers(self, uid: int) -> bool:
        """Whether all of a data-block is in it."""
        return uid in self.settings or uid in self.curves


def blocks_of_file() -> dict[int, bpy.types.ID]:
    """Return all data-blocks by session_uid."""
    return {one.session_uid: one for one in _blocks()}


def _blocks() -> Iterator[bpy.types.ID]:
    for listed in bpy.data.bl_rna.properties:
        if listed.type == "COLLECTION":
            yield from getattr(bpy.data, listed.identifier)


def likeness_of(
    group: Group, blocks: Mapping[int, bpy.types.ID], view_layer: bpy.types.ViewLayer
) -> Likeness | None:
    """Read a character. blocks: `blocks_of_file`. None if it can't be told which frames an action decides: with
    strips of the NLA, actions that constraints play, or frames that are remapped in time.
    """
    scene = view_layer.id_data
    if not isinstance(scene, bpy.types.Scene) or scene.render.frame_map_old != scene.render.frame_map_new:
        return None
    settings: dict[int, bytes] = {}
    curves: dict[int, Mapping[CurveKey, CurveKeys]] = {}
    try:
        for uid in sorted(group.relied_on):
            block = blocks.get(uid)
            if block is None:
                return None
            if isinstance(block, bpy.types.Action):
                curves[uid] = read_curves(block)
            elif isinstance(block, bpy.types.Armature) or _is_in(block, view_layer):
                settings[uid] = settings_digest(block)
            else:
                animated_channels(block)
    except UnknownAnimationError:
        return None
    return Likeness(settings, curves)


def _is_in(block: bpy.types.ID, view_layer: bpy.types.ViewLayer) -> bool:
    """Whether an object is in a view layer; others are mere shapes of bones, or the layer leaves them out."""
    return isinstance(block, bpy.types.Object) and view_layer.objects.get(block.name) == block


def changed_frames(before: Likeness, after: Likeness) -> tuple[Span, ...] | None:
    """Return at which frames a character may look different; None if at all, and however it is bound."""
    if before.settings != after.settings or before.curves.keys() != after.curves.keys():
        return None
    spans = (changed_spans(curves, after.curves[uid]) for uid, curves in before.curves.items())
    return tuple(span for found in spans for span in found)
