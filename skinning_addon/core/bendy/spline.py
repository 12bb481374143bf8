"""The joints of posed bendy bones: a curve for each bone (`bendy_curve`), cut into segments.

Each joint turns its Y axis along the curve; roll and scale are interpolated from one end to the other.

Arrays of vectors have coordinates first, as in `vectors`; then the J joints of a bone; then the K bendy
bones. Bones with fewer segments are padded with joints at their tail.

Source: Blender's manual, "Bendy Bones", for what each setting does; the formulas were measured on
`PoseBone.bbone_segment_matrix` (tests/scene/armatures/test_bendy_joints.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..maths.vectors import dot, squared_length
from .curve import BendyBones, bendy_curves, end_tangents, joint_parameters, leaning, sharpness
from .handles import NEARLY_BACK, UnscaledBones, curve_ends, make_unit_or_along, shortest_turn
from .shape import HEAD, TAIL, BendyShape

TOLERATED = 2e-5
"""How far off a joint's axes may be by that without being uncertain. Skin lies about a joint at less than a
third of the bone's length."""

NEARLY_FLAT = 0.05
"""Axes spanning less than this fraction of a cube are too flat for float32 to express other bones in them."""

USUAL_TURN = 4.0
SHARP_TURN = 100.0
"""Sharpness of an arc of a circle (see `sharpness`), about; and one from which it shows in a joint's direction
that float32 places the joint only to the seventh digit."""

_AROUND = np.array([0, 1, 2, 0, 1])
_LAST_COLUMN = np.array([0, 0, 0, 1], dtype=np.float32)[:, None, None]


@dataclass(frozen=True, eq=False)
class BendyJoints:
    """to_bone: (J, K, 4, 4) float32, each joint -> its bone; bones with fewer segments are padded with joints
    at their tail.

    uncertain: (K,) bool, the bones whose joints depend on the last digits of their input, so that Blender's
    float32 gives visibly different ones.
    """

    to_bone: NDArray[np.float32]
    uncertain: NDArray[np.bool_]


def bendy_joints(
    bones: BendyBones,
    shape: BendyShape,
    to_root: NDArray[np.float64],
    rest_to_root: NDArray[np.float64],
) -> BendyJoints:
    """Compute the joints of all bendy bones.

    to_root: (B, 4, 4), of all bones in the pose; pass `rest_to_root` for the joints at rest.
    """
    placed, scale, flat = _unscaled(bones, to_root)
    ends = curve_ends(placed, bones.handles, to_root, rest_to_root)
    curves = bendy_curves(ends, shape, placed.lengths, scale)
    t = joint_parameters(curves, bones, shape.scale[:, :, 1])
    directions = curves.velocities(t)
    tangents = end_tangents(curves)
    directions[:, 0] = tangents[:, HEAD]
    directions[:, *bones.last] = tangents[:, TAIL]
    squared_speed = squared_length(directions)
    sharp = sharpness(curves, t, squared_speed, bones.between)
    make_unit_or_along(directions, np.sqrt(squared_speed))

    # From here on float32 is enough, as that is what Blender returns.
    rows = np.empty((4, 4, *t.shape), dtype=np.float32)
    rows[:, 3] = _LAST_COLUMN
    _write_axes(
        rows[:3, :3],
        directions.astype(np.float32),
        bones.along,
        (ends.roll + shape.roll).astype(np.float32),
        thickness=shape.scale.astype(np.float32),
        scale=scale.astype(np.float32),
    )
    curves.positions(t, 1 / scale, rows[3, :3])
    # Transposed as one array of two axes, which numpy copies faster than one of four.
    to_bone = np.ascontiguousarray(rows.reshape(16, -1).T).reshape(*t.shape, 4, 4)

    uncertain = flat | ~ends.certain
    uncertain |= np.minimum.reduce(directions[1]) < NEARLY_BACK
    uncertain |= sharp > SHARP_TURN
    reach_shows = curves.rounding * leaning(curves, shape.ease, placed.lengths)
    uncertain |= reach_shows * np.maximum(sharp / USUAL_TURN, 1.0) > TOLERATED
    return BendyJoints(to_bone, uncertain)


def _unscaled(
    bones: BendyBones, to_root: NDArray[np.float64]
) -> tuple[UnscaledBones, NDArray[np.float64], NDArray[np.bool_]]:
    """Split the scale off posed bones: return the unscaled bones, the scale, (3, K), and which are too flat,
    (K,).
    """
    own = to_root[bones.bone]
    axes = own[:, :3, :3].transpose(1, 2, 0).copy()
    scale = np.sqrt(squared_length(axes.swapaxes(0, 1)))
    flat = ~scale.all(axis=0)
    scale[:, flat] = 1.0
    axes /= scale[:, None]
    # Each axis and coordinate is followed by the other two, so that cross products are products of slices.
    around = axes[_AROUND[:, None], _AROUND]
    columns = around[1:4, 1:4] * around[2:5, 2:5]
    columns -= around[1:4, 2:5] * around[2:5, 1:4]
    volume = dot(axes[0], columns[0])
    flat |= np.abs(volume) < NEARLY_FLAT
    columns /= np.where(volume == 0, 1.0, volume)
    return (
        UnscaledBones(own[:, 3, :3], columns.transpose(2, 1, 0).copy(), bones.lengths * scale[1]),
        scale,
        flat,
    )


def _write_axes(
    axes: NDArray[np.float32],
    directions: NDArray[np.float32],
    along: NDArray[np.float32],
    roll: NDArray[np.float32],
    *,
    thickness: NDArray[np.float32],
    scale: NDArray[np.float32],
) -> None:
    """Write the axes of the joints, (3, 3, J, K), the axis first, in the bone's own space, which its matrix
    will scale.

    X and Z follow Y by its shortest turn, X = e_x - x h and Z = e_z - z h (see `ShortestTurn`), then roll
    about it. The sum of both contains the vector h once.

    directions: (3, J, K), where Y goes, unit length. along: (J, K), 0 at the head to 1 at the tail. roll: (2,
    K).
    thickness: (2, K, 3). scale: (3, K), of the posed bones.
    """
    angle = (roll[TAIL] - roll[HEAD]) * along
    angle += roll[HEAD]
    cosine, sine = np.cos(angle), np.sin(angle)
    thick, thicker = thickness.transpose(0, 2, 1) * scale
    thicker -= thick
    inverse = 1 / scale
    turn = shortest_turn(directions)
    halfway = directions * inverse[:, None]
    np.multiply(turn.halfway_y, inverse[1], out=halfway[1])
    across = inverse[0] * turn.sign_of_x
    for axis, x_part, z_part in ((0, cosine, -sine), (2, sine, cosine)):
        wide = thicker[axis] * along
        wide += thick[axis]
        of_x, of_z = x_part * wide, z_part * wide
        away = of_x * turn.x
        away += of_z * turn.z
        np.multiply(halfway, away, out=axes[axis])
        np.subtract(of_x * across, axes[axis, 0], out=axes[axis, 0])
        np.negative(axes[axis, 1], out=axes[axis, 1])
        np.subtract(of_z * inverse[2], axes[axis, 2], out=axes[axis, 2])
    np.multiply(halfway, scale[1], out=axes[1])
    axes[1, 1] = directions[1]
