"""Layout of a chain's palettes, end to end in rows of four floats. Pure numpy.

All entries of a chain have as many rows as the largest needs. A blend done in root space has two matrices
before its joints, to root space and back, in as many entries as needed; lib/root_space.glsl reads them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.blending.blend_palette import AnyPalette
from ..core.skinning.palette import Palette
from ..core.skinning.passes import Blend, Pass

ROWS_OF_MATRIX = 3

ROWS_OF_JOINT = {Blend.LINEAR: ROWS_OF_MATRIX, Blend.VOLUME: 4, Blend.DUAL_QUATERNION: 2}
"""A matrix; a matrix and a rotation; a dual quaternion."""

NO_MOTION = Palette(np.eye(4, dtype=np.float32)[None])
"""Stands in if there is no pass."""


@dataclass(frozen=True)
class PaletteLayout:
    """How the palettes of a chain lie end to end: pass_count palettes in joint_count entries of
    rows_per_joint rows each.
    """

    joint_count: int
    rows_per_joint: int
    pass_count: int = 1

    def packed(self, palettes: Sequence[AnyPalette]) -> list[NDArray[np.float32]]:
        """Return a pose's palettes, one per pass and in order, as (n, up to rows_per_joint, 4) arrays to be
        stored end to end.

        Raises:
            ValueError: the number of palettes or of their joints is another.
        """
        if len(palettes) != self.pass_count:
            raise ValueError(f"{len(palettes)} palettes for {self.pass_count} passes")
        entries = [
            rows for palette in palettes or (NO_MOTION,) for rows in packed(palette, self.rows_per_joint)
        ]
        count = sum(len(rows) for rows in entries)
        if count != self.joint_count:
            raise ValueError(f"{count} joints for a palette of {self.joint_count}")
        return entries


def rows_per_joint(passes: Sequence[Pass]) -> int:
    """Return the rows per palette entry of a chain; a chain without passes has one matrix."""
    return max((ROWS_OF_JOINT[one.blend] for one in passes), default=ROWS_OF_MATRIX)


def packed_rows(palettes: Sequence[AnyPalette], rows: int) -> NDArray[np.float32]:
    """Return a pose's palettes, one per pass and in order, as they lie on the GPU: (joints * rows, 4).

    rows: of each entry, see `rows_per_joint`. `PaletteBuffer.upload_rows` takes them.
    """
    entries = [one for palette in palettes or (NO_MOTION,) for one in packed(palette, rows)]
    joints = np.zeros((sum(map(len, entries)), rows, 4), dtype=np.float32)
    start = 0
    for one in entries:
        joints[start : start + len(one), : one.shape[1]] = one
        start += len(one)
    return joints.reshape(-1, 4)


def entries_per_space(rows: int) -> int:
    """Return how many palette entries of this many rows a matrix takes."""
    return -(-ROWS_OF_MATRIX // rows)


def entries_before_joints(one: Pass, rows: int) -> int:
    """Return how many palette entries a pass has before its joints."""
    return 0 if one.blend is Blend.LINEAR else 2 * entries_per_space(rows)


def packed(palette: AnyPalette, rows: int) -> list[NDArray[np.float32]]:
    """Return a palette in entries of at most `rows` rows, each (n, 1 to rows, 4), to lie end to end."""
    if isinstance(palette, Palette):
        return [palette.rows()]
    spaces = np.zeros((2, entries_per_space(rows) * rows, 4), dtype=np.float32)
    spaces[:, :ROWS_OF_MATRIX] = Palette(np.stack((palette.mesh_to_root, palette.root_to_mesh))).rows()
    return [spaces.reshape(-1, rows, 4), palette.rows()]
