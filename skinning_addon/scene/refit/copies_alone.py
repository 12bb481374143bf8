"""A file of game-ready copies alone, for exporters: under the originals' names, which are free then."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import bpy

from ..clips.actions import GAME_READY
from .copied_clips import tracks_of_copy
from .copied_keys import KeyValues, lay_keys_on_tracks
from .game_ready_copy import armature_of_copy, meshes_of_copy
from .plan import CopyPlan

EXPORT_OPTIONS: dict[str, dict[str, Any]] = {
    # Tracks begin and end where the clips do; a copy has no more influences than its engine takes.
    "gltf": {"export_format": "GLB", "export_animation_mode": "NLA_TRACKS", "export_all_influences": True},
    # Simplified curves are up to 2e-3 of a character's size off.
    "fbx": {"bake_anim_simplify_factor": 0.0, "add_leaf_bones": False, "object_types": ["ARMATURE", "MESH"]},
}
"""By the exporter's id, options other than the defaults."""


def leave_only_copies(
    copies: Sequence[tuple[bpy.types.Collection, CopyPlan]], keys: Mapping[str, Sequence[KeyValues]]
) -> None:
    """Remove all other objects and actions from the open file, and give the copies their originals' names.

    keys: values of the moving shape keys in each clip, by identity of the original mesh.

    For files that are exported and never saved.
    """
    kept = {one for collection, _ in copies for one in collection.objects}
    removed: list[bpy.types.ID] = [one for one in bpy.data.objects if one not in kept]
    owners = _owners(kept)
    users = bpy.data.user_map(subset=list(bpy.data.actions))
    # Those of copies that were there before are game-ready, too.
    removed += [one for one in bpy.data.actions if GAME_READY not in one or not users[one] & owners]
    bpy.data.batch_remove(removed)
    for collection, plan in copies:
        tracks = tracks_of_copy(plan, armature_of_copy(collection))
        named = {clip: track.name for clip, track in tracks.items()}
        for mesh, planned in zip(meshes_of_copy(collection), plan.meshes, strict=True):
            if keys.get(planned.object):
                lay_keys_on_tracks(mesh, keys[planned.object], named)
        _rename(collection, plan, tracks)


def _rename(
    collection: bpy.types.Collection, plan: CopyPlan, tracks: Mapping[str, bpy.types.NlaTrack]
) -> None:
    """Give a copy the names of its original. tracks: by clip."""
    # Objects in the plan's order: the armature, then the meshes.
    originals = (plan.armature, *(mesh.object for mesh in plan.meshes))
    for one, name in zip(collection.objects, originals, strict=True):
        one.name = name
        if one.data is not None:
            one.data.name = name
    for clip, track in tracks.items():
        for strip in track.strips:
            if strip.action is not None:
                strip.action.name = clip


def _owners(objects: Collection[bpy.types.Object]) -> set[bpy.types.ID]:
    """Return objects with everything of them that can be animated."""
    owners: set[bpy.types.ID] = set(objects)
    owners |= {one.data for one in objects if one.data is not None}
    return owners | {keys for one in owners if (keys := getattr(one, "shape_keys", None)) is not None}
