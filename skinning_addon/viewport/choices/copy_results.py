"""What the game-ready copies of each scene are worth. `copy_records` keeps it with them in the file."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import ClassVar

import bpy

from ...core.profiles.profile import Profile
from ...core.text.message import Message
from ...measurement.profiles.copy_parts import CopiedPart
from ...measurement.profiles.game_ready import GameReadyCopy
from ...scene.identification import object_of
from ...scene.refit.game_ready_copy import armature_of_copy
from .dated_results import Dated, DatedResults


@dataclass(frozen=True)
class CopiedBlocks:
    """The session_uids of a copy's data-blocks and of its originals: names change, and undo replaces objects.

    collection: the copy's. armatures: the original's and the copy's. meshes: likewise of each mesh. 0 for one
    that was gone when the file was loaded.
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

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """All originals, each with its copy: the armature, then the meshes."""
        return (self.armatures, *self.meshes)


@dataclass(frozen=True, eq=False, kw_only=True)
class CopyResult(Dated):
    """What a copy is worth in the engine that it was made for, and whether either has changed since.

    blocks: to find it by. names: what the original's armature and meshes were called when last seen. engine:
    its name. before, after, parts, left: as in `GameReadyCopy`. fit: how near its fitted weights come; None if
    they are the largest. unfitted: why they are, None if that was asked for. missed: what was not reached, and
    why; and a tolerance that was.
    """

    blocks: CopiedBlocks
    names: tuple[str, ...]
    engine: str
    before: float
    after: float
    parts: tuple[CopiedPart, ...] = ()
    left: Message | None = None
    fit: Message | None = None
    unfitted: Message | None = None
    missed: tuple[Message, ...] = ()

    @classmethod
    def of(
        cls,
        copy: GameReadyCopy,
        profile: Profile,
        fit: Message | None = None,
        unfitted: Message | None = None,
        missed: tuple[Message, ...] = (),
    ) -> CopyResult:
        """Return what a copy is worth that has just been made."""
        return cls(
            blocks=CopiedBlocks.of(copy),
            names=(copy.plan.plan.armature, *copy.meshes),
            engine=profile.label,
            before=copy.before,
            after=copy.after,
            parts=copy.parts,
            left=copy.left,
            fit=fit,
            unfitted=unfitted,
            missed=missed,
        )

    @property
    def collection(self) -> bpy.types.Collection | None:
        """The copy itself; None if it was undone or deleted."""
        wanted = self.blocks.collection
        return next((one for one in bpy.data.collections if one.session_uid == wanted), None)

    @property
    def day(self) -> str:
        """When it was made, as '2026-11-29'."""
        return time.strftime("%Y-%m-%d", time.localtime(self.seconds))


class CopyResults(DatedResults[CopyResult]):
    """The copies of each scene, by the scene and the copy's collection."""

    by_name: ClassVar[bool] = False

    def __init__(self, saved: Callable[[], Iterable[tuple[int, CopyResult]]] = tuple) -> None:
        """saved: returns the results that the open file has, by session_uid of a scene; called once for each
        file.
        """
        super().__init__()
        self._saved = saved
        self._is_read = False

    def keep(self, scene_uid: int, result: CopyResult) -> None:
        """Keep a result; it is the scene's last from now on."""
        self._read()
        self.keep_result(self.key(scene_uid, result), result)

    @staticmethod
    def key(scene_uid: int, result: CopyResult) -> tuple[int, str]:
        """Return what a result is kept under."""
        return scene_uid, str(result.blocks.collection)

    def of(self, scene_uid: int, active: int = 0) -> CopyResult | None:
        """Return the last copy of a scene that is still there; None if there is none. active: session_uid of
        an object: the last that it belongs to comes before others, and before those that it is the original of.
        """
        found = self.there(scene_uid)
        for which in (1, 0):
            own = [one for one in found if active in {pair[which] for pair in one.blocks.pairs}]
            if active and own:
                return own[-1]
        return found[-1] if found else None

    def beside(self, scene_uid: int, result: CopyResult) -> list[CopyResult]:
        """List the other copies of the same original, which are at one place with it."""
        original, own = result.blocks.armatures[0], result.blocks.collection
        return [
            one
            for one in self.there(scene_uid)
            if original and one.blocks.armatures[0] == original and one.blocks.collection != own
        ]

    def there(self, scene_uid: int) -> list[CopyResult]:
        """List the copies of a scene that have neither been undone nor deleted, the last one last."""
        self._read()
        of_scene = (one for (scene, _), one in self._kept.items() if scene == scene_uid)
        return [one for one in of_scene if one.collection is not None]

    def clear(self) -> None:
        """Forget everything: another file was loaded."""
        super().clear()
        self._is_read = False

    def _read(self) -> None:
        if not self._is_read:
            self._is_read = True
            for scene_uid, result in self._saved():
                self.keep(scene_uid, result)
