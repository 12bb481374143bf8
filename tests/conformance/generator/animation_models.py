"""Models about keys: joints with and without them, interpolation, and what else they animate."""

from __future__ import annotations

import numpy as np

from tests.conformance.generator.document import Document
from tests.conformance.generator.model import (
    ANIMATIONS,
    CUBIC,
    MORPH_TARGETS,
    OPTIONAL,
    REQUIRED,
    SLERP,
    STEP,
    Model,
    Outcome,
)
from tests.conformance.generator.rig import (
    attributes,
    bend,
    chain,
    keys,
    pose,
    position_accessor,
    primitive,
    ribbon,
    show,
    skin,
    skinned_mesh,
)
from tests.conformance.generator.strip import strip
from tests.conformance.generator.transforms import Z, turn
from tests.conformance.judge.reading import Reading


def _start() -> tuple[Document, list[int], int]:
    """Make a ribbon on three bones; return the document, the bones and the ribbon's node."""
    document = Document()
    bones = chain(document)
    return document, bones, ribbon(document, strip(), skin(document, bones))


def _unkeyed() -> Document:
    document, bones, node = _start()
    pose(document, bones[1], rotation=turn(Z, 40))
    pose(document, bones[2], translation=[0.2, 1.2, 0.0], scale=[0.6, 0.6, 0.6])
    keys(document, bones[2], "rotation", [turn(Z, one) for one in (0, -70, -70)])
    return show(document, [bones[0], node])


def _step() -> Document:
    document, bones, node = _start()
    for bone, degrees in zip(bones[1:], ((0, 40, 60), (10, -30, 50)), strict=True):
        keys(document, bone, "rotation", [turn(Z, one) for one in degrees], interpolation="STEP")
    return show(document, [bones[0], node])


def _cubic() -> Document:
    document, bones, node = _start()
    none = [0.0, 0.0, 0.0, 0.0]
    turns = [
        [none, turn(Z, 0), [0.0, 0.0, 0.9, -0.3]],
        [[0.0, 0.0, 0.2, 0.4], turn(Z, 60), [0.3, 0.0, -0.5, 0.1]],
        [[0.0, 0.2, -0.6, 0.0], turn(Z, 30), none],
    ]
    keys(document, bones[1], "rotation", np.reshape(turns, (9, 4)).tolist(), interpolation="CUBICSPLINE")
    moves = [
        [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.5, 0.0, 0.0]],
        [[-0.5, 0.5, 0.0], [0.3, 1.2, 0.0], [0.0, -1.0, 0.6]],
        [[0.0, 0.0, 0.0], [0.0, 1.0, 0.2], [0.0, 0.0, 0.0]],
    ]
    keys(document, bones[2], "translation", np.reshape(moves, (9, 3)).tolist(), interpolation="CUBICSPLINE")
    return show(document, [bones[0], node])


def _long_way() -> Document:
    document, bones, node = _start()
    # The second key of each bone has the sign for which the way to it is longer than half a turn.
    for bone, degrees in zip(bones[1:], ((0, 60, 60), (-20, 40, 40)), strict=True):
        first, second, third = (np.array(turn(Z, one)) for one in degrees)
        keys(document, bone, "rotation", [first.tolist(), (-second).tolist(), third.tolist()])
    return show(document, [bones[0], node])


def _slerp() -> Document:
    document, bones, node = _start()
    keys(document, bones[1], "rotation", [turn(Z, one) for one in (0, 150, 150)])
    return show(document, [bones[0], node])


def _morphed() -> tuple[Document, list[int], int]:
    """Make a ribbon with two morph targets; return the document, the bones and the ribbon's node."""
    document = Document()
    bones, shape = chain(document), strip()
    widened, leaning = np.zeros_like(shape.positions), np.zeros_like(shape.positions)
    widened[:, 0] = shape.positions[:, 0] * np.repeat([0, 0, 0, 0, 0.5, 1, 0.5], 3)
    leaning[:, 2] = 0.2 * shape.positions[:, 1]
    targets = [{"POSITION": position_accessor(document, one)} for one in (widened, leaning)]
    node = skinned_mesh(
        document,
        [primitive(document, shape, attributes(document, shape), targets=targets)],
        skin(document, bones),
    )
    return document, bones, node


def _morph() -> Document:
    document, bones, node = _morphed()
    document.json["meshes"][0]["weights"] = [0.0, 0.0]
    keys(document, node, "weights", [0.0, 0.5, 1.0, 0.0, 1.0, 0.0])
    bend(document, bones)
    return show(document, [bones[0], node])


def _morph_keys_alone() -> Document:
    document, bones, node = _morphed()
    keys(document, node, "weights", [1.0, 0.0, 0.25, 1.0, 0.25, 1.0])
    bend(document, bones)
    return show(document, [bones[0], node])


def _default_morph() -> Document:
    document, bones, node = _morphed()
    document.json["meshes"][0]["weights"] = [0.0, 0.5]
    pose(document, node, weights=[1.0, 0.25])
    bend(document, bones)
    return show(document, [bones[0], node])


def _two_animations() -> Document:
    document, bones, node = _start()
    keys(document, bones[1], "rotation", [turn(Z, one) for one in (0, 40, 40)], animation=0)
    keys(document, bones[2], "rotation", [turn(Z, one) for one in (0, -50, -50)], animation=1)
    return show(document, [bones[0], node])


def _clocks() -> Document:
    document, bones, node = _start()
    keys(document, bones[1], "translation", [[0, 1, 0], [0.8, 1.2, 0]], (0.75, 1.25))
    keys(document, bones[1], "rotation", [turn(Z, one) for one in (0, 30)], (2.0, 2.5))
    keys(document, bones[2], "scale", [[1, 1, 1], [1.5, 0.5, 1], [1.2, 1.2, 1.2]], (0.0, 1.0, 3.0))
    keys(document, bones[0], "rotation", [turn(Z, -20)], (1.0,))
    return show(document, [bones[0], node])


ANIMATION_MODELS = (
    Model(
        "SkinUnkeyed",
        "Joints without keys",
        REQUIRED,
        ANIMATIONS,
        "Non-animated properties MUST keep their values during animation.",
        "The second joint has no keys, the third none of translation and scale; all of them differ from "
        "where they were bound. An engine that resets them to the bind pose straightens the ribbon.",
        _unkeyed,
    ),
    Model(
        "SkinStep",
        "Step keys",
        REQUIRED,
        STEP,
        "v_t = v_k",
        "Rotation keys hold until the next one.",
        _step,
        times=(0.5, 1.0, 1.5, 1.9375, 2.0, 2.75, 3.5),
    ),
    Model(
        "SkinCubic",
        "Cubic splines",
        REQUIRED,
        CUBIC,
        "When the animation sampler targets a node's rotation property, the interpolated quaternion MUST be "
        "normalized before applying the result to the node's rotation.",
        "The second joint's rotation and the third's translation are cubic splines with tangents.",
        _cubic,
        times=(0.5, 1.25, 1.5, 2.0, 2.75, 3.5),
    ),
    Model(
        "SkinLongWay",
        "Quaternions of opposite sign",
        REQUIRED,
        SLERP,
        "Using the dot product's absolute value for computing a and multiplying v_k+1 by the dot product's "
        "sign ensure that the spherical interpolation follows the short path along the great circle defined "
        "by the two quaternions.",
        "Neighboring keys have opposite signs. An engine that doesn't look at them turns the long way round.",
        _long_way,
    ),
    Model(
        "SkinSlerp",
        "A wide turn between two keys",
        OPTIONAL,
        SLERP,
        "Implementations MAY approximate these equations to reach application-specific accuracy and/or "
        "performance targets.",
        "Two keys are 150 degrees apart, and a quarter of the way between them normalized linear "
        "interpolation is 6 degrees behind spherical.",
        _slerp,
        (
            Outcome("slerp", "Spherical linear interpolation, as the equations say."),
            Outcome("nlerp", "Normalized linear interpolation.", Reading(rotation="nlerp")),
        ),
        times=(0.5, 1.25, 1.5, 1.75, 2.0, 3.5),
    ),
    Model(
        "SkinMorph",
        "Morph targets and a skin",
        REQUIRED,
        MORPH_TARGETS,
        "Displacements for POSITION, NORMAL, and TANGENT attributes MUST be applied before any "
        "transformation matrices affecting the mesh vertices such as skinning or node transforms.",
        "Two morph targets with keys widen the ribbon and tilt it, before the joints bend it.",
        _morph,
    ),
    Model(
        "SkinMorphDefault",
        "A node's own morph weights",
        REQUIRED,
        MORPH_TARGETS,
        "When an instantiated mesh has morph targets, it MUST use morph weights specified with the "
        "node.weights property. When the latter is undefined, mesh.weights property MUST be used instead.",
        "Both the mesh and the node have morph weights, and there are no keys for them: the node's count.",
        _default_morph,
    ),
    Model(
        "SkinMorphKeysAlone",
        "Morph weights in keys alone",
        REQUIRED,
        MORPH_TARGETS,
        "When mesh.weights is undefined, the default targets' weights are zeros.",
        "Neither the mesh nor the node has morph weights; only an animation does.",
        _morph_keys_alone,
    ),
    Model(
        "SkinTwoAnimations",
        "Two animations",
        OPTIONAL,
        ANIMATIONS,
        "this specification doesn't define any runtime behavior, such as: order of playing, auto-start, "
        "loops, mapping of timelines, etc.",
        "One animation turns the second joint, another the third.",
        _two_animations,
        (
            Outcome("both", "Both play at once."),
            Outcome("first", "The first alone plays.", Reading(animations=(0,))),
            Outcome("second", "The second alone plays.", Reading(animations=(1,))),
        ),
    ),
    Model(
        "SkinClocks",
        "Channels with times of their own",
        REQUIRED,
        ANIMATIONS,
        "Before and after the provided input range, output MUST be clamped to the nearest end of the input "
        "range. Samplers within a given animation MAY have different inputs.",
        "Each channel has other times; one has a single key.",
        _clocks,
        times=(0.5, 1.125, 1.5, 2.25, 2.75, 3.5),
    ),
)
