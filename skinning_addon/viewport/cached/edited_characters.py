"""Characters of which an action or a setting was edited: none of their frames counts as known until the edit is
over, when it is found out which of them have changed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import bpy

from .groups import Group
from .likeness import Likeness, blocks_of_file, changed_frames, likeness_of
from .moving_mesh import MovingMesh
from .posed_mesh import PosedMesh

AnyCachedMesh = PosedMesh | MovingMesh


class EditedCharacters:
    """Keeps no Blender object."""

    def __init__(self) -> None:
        self._likenesses: dict[Group, Likeness] = {}
        self._meshes: dict[Group, tuple[AnyCachedMesh, ...]] = {}

    @property
    def byte_count(self) -> int:
        """Memory that their frames take."""
        return sum(mesh.byte_count for meshes in self._meshes.values() for mesh in meshes)

    def can_be_judged(self, group: Group, changed: Iterable[int]) -> bool:
        """Whether it can be found out what changes of these data-blocks, by session_uid, do to a character."""
        likeness = self._likenesses.get(group)
        return likeness is not None and all(map(likeness.covers, changed))

    def put(self, group: Group, meshes: tuple[AnyCachedMesh, ...]) -> None:
        """Put a character's frames aside."""
        self._meshes[group] = meshes

    def note_changes(self, changed: Collection[int]) -> None:
        """Forget those of which more has changed than can be judged."""
        for group in tuple(self._meshes):
            if not self.can_be_judged(group, group.relied_on.intersection(changed)):
                self.forget(group)

    def judged(
        self, found: Collection[Group], view_layer: bpy.types.ViewLayer
    ) -> dict[Group, tuple[AnyCachedMesh, ...]]:
        """Take out the characters, with the frames that are still right; those that have to be bound again are
        forgotten. found: those that are there now.
        """
        if not self._meshes:
            return {}
        blocks, right = blocks_of_file(), {}
        for group in tuple(self._meshes):
            before = self._likenesses[group]
            after = likeness_of(group, blocks, view_layer) if group in found else None
            spans = None if after is None else changed_frames(before, after)
            if after is None or spans is None:
                self.forget(group)
                continue
            meshes = self._meshes.pop(group)
            for mesh in meshes:
                mesh.drop_within(spans)
            self._likenesses[group] = after
            # Another tuple: whoever awaits frames of the one before waits for another state.
            right[group] = tuple(mesh for mesh in meshes)
        return right

    def learn(self, groups: Iterable[Group], view_layer: bpy.types.ViewLayer) -> None:
        """Read what decides the frames of characters that were bound, before any of them is recorded."""
        blocks = blocks_of_file()
        for group in groups:
            likeness = likeness_of(group, blocks, view_layer)
            if likeness is not None:
                self._likenesses[group] = likeness

    def forget(self, group: Group) -> None:
        """Forget a character."""
        self._likenesses.pop(group, None)
        for mesh in self._meshes.pop(group, ()):
            mesh.free()

    def clear(self) -> None:
        """Forget all."""
        for group in tuple(self._meshes):
            self.forget(group)
        self._likenesses.clear()
