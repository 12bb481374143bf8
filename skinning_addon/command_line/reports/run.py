"""One check of a list of files, which may be spread over several machines: each takes a shard of the list."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Run:
    """What a report is part of.

    id: the same for all shards of one list, checked with the same settings by the same version. files: how many
    are in the list. shard: 1 to `shards`.
    """

    id: str
    files: int
    shard: int = 1
    shards: int = 1

    @property
    def numbers(self) -> range:
        """The shard's files by their place in the list, from 0. They take turns, since neighbours in a list are
        alike: one shard would get all of the large ones.
        """
        return range(self.shard - 1, self.files, self.shards)

    def entry(self) -> dict[str, object]:
        """Return a document's entry."""
        return {"id": self.id, "files": self.files, "shard": self.shard, "shards": self.shards}

    @classmethod
    def read(cls, entry: Mapping[str, Any]) -> Run:
        """Read what `entry` wrote.

        Raises:
            ValueError, KeyError, TypeError: it is something else.
        """
        run = cls(str(entry["id"]), int(entry["files"]), int(entry["shard"]), int(entry["shards"]))
        if not 1 <= run.shard <= run.shards or run.files < 0:
            raise ValueError("shard")
        return run


def run_id(program: str, files: Sequence[tuple[str, str]]) -> str:
    """Return the id of a run. program: its version. files: each with everything that it is checked with."""
    return hashlib.sha256(json.dumps([program, files]).encode()).hexdigest()[:16]
