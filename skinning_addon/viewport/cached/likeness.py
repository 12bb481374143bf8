"""What decides how a character looks at each frame, to find out which frames an edit has changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Any

import bpy

from ...scene.clips.curve_spans import ALL, CurveKey, CurveKeys, Span, changed_spans, read_curves
from ...scene.clips.strip_times import StripTime, playing_strips
from ...scene.objects.settings_digest import UnknownAnimationError, animated_channels, settings_digest
from .groups import Group


@dataclass(frozen=True, eq=False)
class Likeness:
    """A character's objects, armatures and actions as they are; meshes, and the rest that it relies on, are not
    among it.

    settings: by session_uid, all that is set on objects and armatures, other than by animation. curves: by the
    action's session_uid. strips: by the action's session_uid, the strips that play it; None among them if it
    also is a data-block's own action.
    """

    settings: Mapping[int, bytes]
    curves: Mapping[int, Mapping[CurveKey, CurveKeys]]
    strips: Mapping[int, Set[StripTime | None]]

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
    some strips of the NLA, actions that constraints play, or frames that are remapped in time.
    """
    scene = view_layer.id_data
    if not isinstance(scene, bpy.types.Scene) or scene.render.frame_map_old != scene.render.frame_map_new:
        return None
    settings: dict[int, bytes] = {}
    curves: dict[int, Mapping[CurveKey, CurveKeys]] = {}
    strips: dict[int, set[StripTime | None]] = {}
    try:
        for uid in sorted(group.relied_on):
            block = blocks.get(uid)
            if block is None:
                return None
            if isinstance(block, bpy.types.Action):
                curves[uid] = read_curves(block)
            elif isinstance(block, bpy.types.Armature) or _is_in(block, view_layer):
                settings[uid] = settings_digest(block)
                _note_players(block, strips)
            elif len(getattr(getattr(block, "animation_data", None), "nla_tracks", ())):
                # Its strips' settings are not read.
                return None
            else:
                animated_channels(block)
                _note_players(block, strips)
    except UnknownAnimationError:
        return None
    return Likeness(settings, curves, strips)


def _note_players(block: bpy.types.ID, strips: dict[int, set[StripTime | None]]) -> None:
    """Note which actions a data-block plays, and when."""
    animation: Any = getattr(block, "animation_data", None)
    if animation is None:
        return
    if animation.action is not None:
        strips.setdefault(animation.action.session_uid, set()).add(None)
    for strip in playing_strips(animation):
        if strip.action is not None:
            strips.setdefault(strip.action.session_uid, set()).add(StripTime.of(strip))


def _is_in(block: bpy.types.ID, view_layer: bpy.types.ViewLayer) -> bool:
    """Whether an object is in a view layer; others are mere shapes of bones, or the layer leaves them out."""
    return isinstance(block, bpy.types.Object) and view_layer.objects.get(block.name) == block


def changed_frames(before: Likeness, after: Likeness) -> tuple[Span, ...] | None:
    """Return at which frames a character may look different; None if at all, and however it is bound."""
    if before.settings != after.settings or before.curves.keys() != after.curves.keys():
        return None
    if before.strips != after.strips:
        return None
    found: dict[Span, None] = {}
    for uid, curves in before.curves.items():
        for span in changed_spans(curves, after.curves[uid]):
            found.update(dict.fromkeys(_frames_of(span, after.strips.get(uid, frozenset()))))
    return tuple(found)


def _frames_of(span: Span, strips: Set[StripTime | None]) -> Iterator[Span]:
    """Yield the scene's frames at which a span of an action is played."""
    if not strips or span == ALL:
        yield ALL
        return
    for strip in strips:
        yield from (span,) if strip is None else strip.spans(span)
