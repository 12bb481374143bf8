"""What the last game-ready copy of each scene is worth, kept while the file is open and never saved with it."""

from __future__ import annotations

from dataclasses import dataclass

import bpy

from ...core.profiles.profile import Profile
from ...core.text.message import Message
from ...measurement.profiles.game_ready import GameReadyCopy
from ...scene.identification import object_of
from ...scene.refit.game_ready_copy import armature_of_copy


@dataclass(frozen=True)
class CopiedBlocks:
    """The session_uids of a copy's data-blocks and of its originals: names change, and undo replaces objects.

    collection: the copy's. armatures: the original's and the copy's. meshes: likewise of each mesh.
    """

    collection: int
    armatures: tuple[int, int]
    meshes: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, copy: GameReadyCopy) -> CopiedBlocks:
        """Find them by their names, just after the copy was made."""
        collection = bpy.data.collections[copy.collection]
        return cls(
            collection.session_uid,
            (object_of(copy.plan.plan.armature).session_uid, armature_of_copy(collection).session_uid),
            tuple(
                (object_of(one).session_uid, object_of(other).session_uid)
                for one, other in zip(copy.meshes, copy.copies, strict=True)
            ),
        )


@dataclass(frozen=True, eq=False)
class CopyResult:
    """copy: what was made, for the engine of `profile`, by the names of then. blocks: to find it by. fit: how
    near its fitted weights come; None if they are the largest. unfitted: why they are, None if that was asked
    for. missed: what was not reached, and why; and a tolerance that was.
    """

    copy: GameReadyCopy
    profile: Profile
    blocks: CopiedBlocks
    fit: Message | None = None
    unfitted: Message | None = None
    missed: tuple[Message, ...] = ()

    @property
    def collection(self) -> bpy.types.Collection | None:
        """The copy itself; None if it was undone or deleted."""
        wanted = self.blocks.collection
        return next((one for one in bpy.data.collections if one.session_uid == wanted), None)


class CopyResults:
    """The last copy of each scene."""

    def __init__(self) -> None:
        self._kept: dict[int, CopyResult] = {}

    def keep(self, scene_uid: int, result: CopyResult) -> None:
        """Keep a result, replacing the scene's previous one."""
        self._kept[scene_uid] = result

    def of(self, scene_uid: int) -> CopyResult | None:
        """Return the last copy that was made in a scene; None if it is gone."""
        found = self._kept.get(scene_uid)
        return found if found is not None and found.collection is not None else None

    def clear(self) -> None:
        """Forget everything: another file was loaded."""
        self._kept.clear()
