"""How far normals and tangents of a copy are turned against the original's, as Blender shows both."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.refit.angles import Angles, Turned
from ...core.text.message import Message
from ...scene.matrices import row_vectors
from ...scene.meshes.mesh_reader import has_stray_corners, read_corner_normals, read_corner_tangents
from ...scene.object_data import mesh_of


@dataclass(frozen=True)
class TangentFrames:
    """Over all face corners and frames. None where there is nothing to compare: tangents need a UV map and
    faces of at most four corners.
    """

    normals: Turned | None = None
    tangents: Turned | None = None


NOTHING_TURNED = TangentFrames()


def told_turned(frames: TangentFrames) -> dict[str, dict[str, float] | None]:
    """Return the entries of a report."""
    return {
        "normals": None if frames.normals is None else asdict(frames.normals),
        "tangents": None if frames.tangents is None else asdict(frames.tangents),
    }


class TurnedFrames:
    """Sums up tangent frames, a mesh at a frame at a time."""

    def __init__(self) -> None:
        self._normals, self._tangents = Angles(), Angles()

    def take(self, original: bpy.types.Object, copy: bpy.types.Object) -> None:
        """Compare evaluated objects of the same faces; others are left out."""
        one, other = mesh_of(original), mesh_of(copy)
        if len(one.loops) != len(other.loops) or has_stray_corners(one) or has_stray_corners(other):
            return
        turns = [row_vectors(each.matrix_world)[:3, :3] for each in (original, copy)]
        normals = (read_corner_normals(each) for each in (one, other))
        self._normals.take(
            *(_units(each @ np.linalg.pinv(turn).T) for each, turn in zip(normals, turns, strict=True))
        )
        wanted, found = read_corner_tangents(one), read_corner_tangents(other)
        if wanted is not None and found is not None:
            self._tangents.take(_units(wanted @ turns[0]), _units(found @ turns[1]))

    def found(self) -> TangentFrames:
        """Return what was taken in."""
        return TangentFrames(self._normals.turned(), self._tangents.turned())


def turned_sentence(frames: TangentFrames) -> Message | None:
    """Say how far a copy's normals and tangents are turned; None if there is nothing to say it of."""
    if frames.normals is None:
        return None
    if frames.tangents is None:
        return Message(
            "Normals are turned by at most {largest:.1f} degrees, 99.9% by {nearly_all:.2f} at most",
            largest=frames.normals.largest,
            nearly_all=frames.normals.nearly_all,
        )
    return Message(
        "Normals are turned by at most {largest:.1f} degrees, 99.9% by {nearly_all:.2f} at most; tangents by "
        "{of_tangents:.1f} and {of_nearly_all:.2f}",
        largest=frames.normals.largest,
        nearly_all=frames.normals.nearly_all,
        of_tangents=frames.tangents.largest,
        of_nearly_all=frames.tangents.nearly_all,
    )


def _units(vectors: NDArray[np.floating]) -> NDArray[np.float64]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1.0)
