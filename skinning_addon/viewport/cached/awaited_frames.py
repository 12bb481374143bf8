"""Frames that another Blender records, of a copy of the file, for characters of this one."""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from .frame_cache import FrameCache, clock_of
from .frames_file import RecordedFrames
from .groups import Group


class AwaitedFrames:
    """Characters as they are when the file is copied. After an edit of one, its frames are refused: they would
    be of what it was before.
    """

    def __init__(self, cache: FrameCache, scene: bpy.types.Scene, groups: Iterable[Group]) -> None:
        self._cache = cache
        self._clock = clock_of(scene)
        # An edited character is forgotten and bound again: then these are no longer its meshes.
        self._meshes = {group: cache.meshes_of(group) for group in groups}
        self._count = len(self._meshes)

    @property
    def groups(self) -> tuple[Group, ...]:
        """Those that are still as they were."""
        return tuple(
            group
            for group, meshes in self._meshes.items()
            if meshes and self._cache.meshes_of(group) is meshes
        )

    def all_came(self, frames: Iterable[float]) -> bool:
        """Whether every character is still as it was, and known at all these frames."""
        wanted = tuple(frames)
        complete = (self._cache.has_all(one, wanted) for one in self.groups)
        return len(self.groups) == self._count and all(complete)

    def take(self, scene: bpy.types.Scene, recorded: RecordedFrames) -> None:
        """Keep the frames of characters that are still as they were, unless they are known."""
        if clock_of(scene) != self._clock:
            self._meshes.clear()
        self._cache.follow_clock(scene)
        for group in self.groups:
            meshes = self._meshes[group]
            if any(one.name in recorded.withdrawn for one in meshes):
                self._cache.keep_vertices_of(group, recorded.withdrawn)
                del self._meshes[group]
                continue
            found = [recorded.meshes.get(one.name, {}) for one in meshes]
            for frame in sorted(set.intersection(*map(set, found))):
                if not self._cache.has_room():
                    return
                if not self._cache.has(group, frame):
                    for mesh, frames in zip(meshes, found, strict=True):
                        mesh.take(frame, frames[frame])
