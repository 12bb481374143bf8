"""Clips as the textures that Unreal's AnimToTexture plug-in makes of a skeletal mesh in its bone mode.

Three textures: where bones are, how they are turned, and which bones move a vertex. A frame is one row or
several; the first is the rest pose, then come the frames of all clips.

    position   the bone's place at rest in the first frame, then how far it is from there; each axis from the
               least (0) to the largest (1) of all frames
    rotation   an axis and an angle: (axis + 1) / 2, angle / (2 pi); in the first frame of the bone at rest,
               then of its movement from rest
    weights    rows of four bones' numbers for each vertex, then rows of four weights

    vertex = sum of weight * (rotated(vertex at rest - place at rest) + place at rest + how far from there)

Source: the plug-in's public description and its assets' properties, of Unreal Engine 5.2 to 5.5; it was not
tried in Unreal.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, pi
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..core.text.errors import ClipError
from ..core.text.message import counted
from .rotations import from_rows

Number = TypeVar("Number", np.uint8, np.uint16)

LARGEST = 4096
"""Pixels of a side; the plug-in's default."""

MOST_BONES = 256
"""A vertex's bones are numbers of 8 bits."""

PAST_THREE = ((0, 0), (0, 0), (0, 1))
"""Of an array's axes: a fourth number after each three."""

INFLUENCES = 4
SIXTEEN_BITS, EIGHT_BITS = 65535, 255

FILE_TO_UNREAL = np.array([[100, 0, 0, 0], [0, 0, 100, 0], [0, 100, 0, 0], [0, 0, 0, 1]], dtype=np.float64)
"""From glTF's axes and metres to where Unreal's importer puts them, in centimetres: row vectors."""


@dataclass(frozen=True)
class Arrangement:
    """How elements (bones, or vertices) lie in a texture: row after row of a frame, frame after frame."""

    width: int
    height: int
    rows_per_frame: int

    @classmethod
    def of(cls, frames: int, elements: int, what: str, largest: int = LARGEST) -> Arrangement:
        """Arrange them as the plug-in does, without powers of two.

        Raises:
            ClipError: the texture would be larger.
        """
        rows = ceil(elements / largest)
        found = cls(ceil(elements / rows), frames * rows, rows)
        if found.height > largest:
            raise ClipError(
                "{elements} in {frames} need a texture of {width:,} x {height:,} pixels, and the largest is "
                "{largest:,} x {largest:,}; choose fewer clips.",
                elements=what,
                frames=counted(frames, "frame", "frames"),
                width=found.width,
                height=found.height,
                largest=largest,
            )
        return found

    def filled(self, values: NDArray[Number]) -> NDArray[Number]:
        """Lay out values (frames, elements, 4) as pixels (height, width, 4)."""
        frames, elements, channels = values.shape
        room = np.zeros((frames, self.rows_per_frame * self.width, channels), dtype=values.dtype)
        room[:, :elements] = values
        return room.reshape(self.height, self.width, channels)

    def centres(self, elements: int) -> NDArray[np.float64]:
        """Return where in the texture the first frame's elements are, (elements, 2), from 0 to 1, V down."""
        row, column = np.divmod(np.arange(elements), self.width)
        return np.stack(((column + 0.5) / self.width, (row + 0.5) / self.height), axis=1)


@dataclass(frozen=True, eq=False)
class BoneFrames:
    """positions, rotations: (height, width, 4) uint16.

    least, size: (3,) of the positions, in centimetres, which 0 and 65535 stand for. bones: how they are
    arranged. rest: (N, 3) where they rest, in Unreal's space.
    """

    positions: NDArray[np.uint16]
    rotations: NDArray[np.uint16]
    least: NDArray[np.float64]
    size: NDArray[np.float64]
    bones: Arrangement
    rest: NDArray[np.float64]

    @classmethod
    def of(
        cls, rest: NDArray[np.float64], movements: NDArray[np.float64], largest: int = LARGEST
    ) -> BoneFrames:
        """Store where bones rest in the file, (N, 4, 4), and their movements from there, (F, N, 4, 4):
        rotations and translations, row vectors, Y up and in metres.

        Raises:
            ClipError: there are too many bones or frames.
        """
        count = len(rest)
        if count > MOST_BONES:
            raise ClipError(
                "AnimToTexture holds {most} bones, and these meshes have {count}; make a game-ready copy with "
                "fewer.",
                most=MOST_BONES,
                count=count,
            )
        from_unreal = np.linalg.inv(FILE_TO_UNREAL)
        at_rest = from_unreal @ rest @ FILE_TO_UNREAL
        moved = from_unreal @ movements @ FILE_TO_UNREAL
        places = at_rest[:, 3, :3]
        posed = np.concatenate((places, np.ones((count, 1))), axis=1)[:, None] @ moved
        changes = posed[..., 0, :3] - places
        positions = np.concatenate((places[None], changes))
        turns = np.concatenate((_unit_axes(at_rest[None]), moved[..., :3, :3]))
        least, most = positions.min((0, 1)), positions.max((0, 1))
        size = np.where(most > least, most - least, 1.0)
        arranged = Arrangement.of(len(positions), count, counted(count, "bone", "bones"), largest)
        return cls(
            arranged.filled(_stored(np.pad((positions - least) / size, PAST_THREE, constant_values=1))),
            arranged.filled(_stored(_axes_and_angles(turns))),
            least,
            size,
            arranged,
            places,
        )

    def read(self, frame: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return what a reader makes of a frame after the first: rotations (N, 3, 3), row vectors, and how far
        bones are from rest, (N, 3).
        """
        rows = slice((frame + 1) * self.bones.rows_per_frame, (frame + 2) * self.bones.rows_per_frame)
        count = len(self.rest)
        places, turned = (
            one[rows].reshape(-1, 4)[:count].astype(np.float64) / SIXTEEN_BITS
            for one in (self.positions, self.rotations)
        )
        axis = 2 * turned[:, :3] - 1
        length = np.linalg.norm(axis, axis=1, keepdims=True)
        axis = axis / np.where(length > 0, length, 1)
        return _rotations(axis, 2 * pi * turned[:, 3]), places[:, :3] * self.size + self.least


def weight_pixels(
    joints: NDArray[np.integer], weights: NDArray[np.floating], largest: int = LARGEST
) -> tuple[NDArray[np.uint8], Arrangement]:
    """Return the texture of the four largest influences, given columns and weights (V, 4), the largest first.

    Weights are 8-bit numbers that add up to 255. Raises ClipError if there are too many vertices.
    """
    shares = weights[:, :INFLUENCES] / weights[:, :INFLUENCES].sum(axis=1, keepdims=True)
    stored = np.floor(shares * EIGHT_BITS)
    # What rounding down leaves goes to those that lost most.
    left = (EIGHT_BITS - stored.sum(axis=1)).astype(int)
    order = np.argsort(-(shares * EIGHT_BITS - stored), axis=1, kind="stable")
    rank = np.argsort(order, axis=1, kind="stable")
    stored += rank < left[:, None]
    arranged = Arrangement.of(2, len(joints), counted(len(joints), "vertex", "vertices"), largest)
    both = np.stack((joints[:, :INFLUENCES], stored)).astype(np.uint8)
    return arranged.filled(both), arranged


def _stored(shares: NDArray[np.float64]) -> NDArray[np.uint16]:
    return np.rint(np.clip(shares, 0, 1) * SIXTEEN_BITS).astype(np.uint16)


def _unit_axes(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    axes = matrices[..., :3, :3]
    return axes / np.linalg.norm(axes, axis=-1, keepdims=True)


def _axes_and_angles(turns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (axis + 1) / 2 and the share of a whole turn, (..., 4), of rotations (..., 3, 3)."""
    w, x, y, z = from_rows(turns)
    sine = np.sqrt(x * x + y * y + z * z)
    safe = np.where(sine > 0, sine, 1)
    axis = np.stack(
        [np.where(sine > 0, one / safe, first) for one, first in ((x, 1.0), (y, 0.0), (z, 0.0))], axis=-1
    )
    angle = 2 * np.arctan2(sine, w)
    return np.concatenate(((axis + 1) / 2, (angle / (2 * pi))[..., None]), axis=-1)


def _rotations(axis: NDArray[np.float64], angle: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rotation matrices (N, 3, 3) for row vectors (Rodrigues)."""
    x, y, z = axis.T
    zero = np.zeros_like(x)
    across = np.stack((zero, z, -y, -z, zero, x, y, -x, zero), axis=-1).reshape(-1, 3, 3)
    sine, cosine = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    return np.eye(3) + sine * across + (1 - cosine) * (across @ across)
