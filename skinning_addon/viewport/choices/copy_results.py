"""What the last game-ready copy of each scene is worth, kept while the file is open and never saved with it."""

from __future__ import annotations

from dataclasses import dataclass

import bpy

from ...core.profiles.profile import Profile
from ...core.text.message import Message
from ...measurement.profiles.game_ready import GameReadyCopy


@dataclass(frozen=True, eq=False)
class CopyResult:
    """copy: what was made, for the engine of `profile`. fit: how near its fitted weights come; None if they are
    the largest. unfitted: why they are, None if that was asked for. missed: what was not reached, and why; and
    a tolerance that was.
    """

    copy: GameReadyCopy
    profile: Profile
    fit: Message | None = None
    unfitted: Message | None = None
    missed: tuple[Message, ...] = ()

    @property
    def collection(self) -> bpy.types.Collection | None:
        """The copy itself; None if it was undone or deleted."""
        return bpy.data.collections.get(self.copy.collection)


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
