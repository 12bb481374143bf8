"""Models about influences: their number, their sums, and how they are split among primitives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.conformance.generator.document import ARRAY_BUFFER, UBYTE, USHORT, Document
from tests.conformance.generator.model import (
    FORMULA,
    MESHES,
    OPTIONAL,
    REFUSED,
    REQUIRED,
    SKINNED_ATTRIBUTES,
    UNDEFINED,
    Model,
    Outcome,
)
from tests.conformance.generator.rig import (
    attributes,
    bend,
    chain,
    keys,
    position_accessor,
    primitive,
    ribbon,
    show,
    skin,
    skinned_mesh,
    weight_accessor,
)
from tests.conformance.generator.strip import Strip, grid_triangles, strip
from tests.conformance.generator.transforms import Z, turn
from tests.conformance.judge.reading import Reading


def _many_influences(bones: int) -> Document:
    document = Document()
    joints, shape = chain(document, bones), strip(bones, 1)
    # Every bone influences every vertex, nearer ones more; the largest weights come first.
    distance = np.abs(shape.positions[:, 1:2] - np.arange(bones) - 0.5)
    weights = np.exp(-((distance / 1.5) ** 2)) + 0.02
    order = np.argsort(-weights, axis=1, kind="stable")
    weights = np.take_along_axis(weights / weights.sum(axis=1, keepdims=True), order, axis=1)
    accessors = {"POSITION": position_accessor(document, shape.positions)}
    for number in range(-(-bones // 4)):
        some = slice(4 * number, 4 * number + 4)
        padding = ((0, 0), (0, 4 - len(range(bones)[some])))
        accessors[f"JOINTS_{number}"] = document.accessor(
            np.pad(order[:, some], padding), "VEC4", UBYTE, target=ARRAY_BUFFER
        )
        accessors[f"WEIGHTS_{number}"] = weight_accessor(document, np.pad(weights[:, some], padding))
    node = skinned_mesh(document, [primitive(document, shape, accessors)], skin(document, joints))
    for joint in joints[1:]:
        keys(document, joint, "rotation", [turn(Z, one) for one in (0, 120 / bones, 120 / bones)])
    return show(document, [joints[0], node])


def _with(shape: Strip) -> Document:
    document = Document()
    bones = chain(document)
    node = ribbon(document, shape, skin(document, bones))
    bend(document, bones)
    return show(document, [bones[0], node])


def _weights_low() -> Document:
    shape = strip()
    return _with(replace(shape, weights=0.8 * shape.weights))


def _weights_zero() -> Document:
    shape = strip()
    joints, weights = shape.joints.copy(), shape.weights.copy()
    # The middle of the ribbon's fourth and sixth rows.
    joints[[10, 16]], weights[[10, 16]] = 0, 0
    return _with(replace(shape, joints=joints, weights=weights))


def _joint_twice() -> Document:
    shape = strip()
    joints, weights = shape.joints.copy(), shape.weights.copy()
    # A quarter of the first influence moves to a third one of the same joint.
    weights[:, 2], joints[:, 2] = 0.25 * weights[:, 0], joints[:, 0]
    weights[:, 0] *= 0.75
    return _with(replace(shape, joints=joints, weights=weights))


def _unused_joints() -> Document:
    shape = strip()
    joints = np.where(shape.weights > 0, shape.joints, 2)
    return _with(replace(shape, joints=joints))


def _primitives() -> Document:
    document = Document()
    bones, shape = chain(document), strip()
    lower, upper = _rows(shape, 0, 4), _rows(shape, 3, 7)
    parts = [
        primitive(document, lower, attributes(document, lower)),
        primitive(document, upper, attributes(document, upper, joints=USHORT, weights=UBYTE)),
    ]
    node = skinned_mesh(document, parts, skin(document, bones))
    bend(document, bones)
    return show(document, [bones[0], node])


def _rows(shape: Strip, first: int, last: int) -> Strip:
    """Return some rows of a ribbon, each of three vertices."""
    some = slice(3 * first, 3 * last)
    return Strip(
        shape.positions[some], grid_triangles(last - first, 3), shape.joints[some], shape.weights[some]
    )


def _unindexed() -> Document:
    document, shape = Document(), strip()
    bones, corners = chain(document), shape.triangles.reshape(-1)
    soup = Strip(shape.positions[corners], None, shape.joints[corners], shape.weights[corners])
    node = ribbon(document, soup, skin(document, bones))
    bend(document, bones)
    return show(document, [bones[0], node])


def _fewer_sets(sets: int, of: int) -> tuple[Outcome, Outcome]:
    first = "the first set" if sets == 1 else "the first two sets"
    name = "one-set" if sets == 1 else "two-sets"
    return (
        Outcome(
            f"{name}-normalized",
            f"Only {first} of {of} is read, and the weights are divided by their sum.",
            Reading(sets=sets, normalized=True),
        ),
        Outcome(
            name, f"Only {first} of {of} is read, and the weights are used as they are.", Reading(sets=sets)
        ),
    )


NORMALIZED = Outcome("normalized", "The weights are divided by their sum.", Reading(normalized=True))
ONE_SET_MAY_DO = "Client implementations MAY support only a single set of up to four weights and joints"

WEIGHT_MODELS = (
    Model(
        "SkinFiveInfluences",
        "Five influences",
        OPTIONAL,
        SKINNED_ATTRIBUTES,
        ONE_SET_MAY_DO,
        "Five joints hold each vertex, the fifth in a second set. The largest weights are in the first.",
        lambda: _many_influences(5),
        (FORMULA, *_fewer_sets(1, 2)),
    ),
    Model(
        "SkinNineInfluences",
        "Nine influences",
        OPTIONAL,
        SKINNED_ATTRIBUTES,
        ONE_SET_MAY_DO,
        "Nine joints hold each vertex, in three sets. The largest weights are in the first.",
        lambda: _many_influences(9),
        (FORMULA, *_fewer_sets(1, 3), *_fewer_sets(2, 3)),
        tolerance=3e-4,
    ),
    Model(
        "SkinWeightsLow",
        "Weights that add up to 0.8",
        UNDEFINED,
        SKINNED_ATTRIBUTES,
        "their linear sum SHOULD be as close as reasonably possible to 1.0 for a given vertex",
        "The weights of each vertex add up to 0.8.",
        _weights_low,
        (FORMULA, NORMALIZED, REFUSED),
    ),
    Model(
        "SkinWeightsZero",
        "Vertices without weights",
        UNDEFINED,
        SKINNED_ATTRIBUTES,
        "their linear sum SHOULD be as close as reasonably possible to 1.0 for a given vertex",
        "All weights of two vertices are zero.",
        _weights_zero,
        (
            Outcome("origin", "The sum of nothing: the vertices go to the origin."),
            Outcome("first-joint", "The vertices follow the first joint.", Reading(unweighted="first")),
            Outcome("unskinned", "The vertices stay as they are stored.", Reading(unweighted="unskinned")),
            Outcome(
                "nowhere",
                "The vertices vanish, and their triangles with them: their positions are NaN.",
                Reading(unweighted="nowhere"),
            ),
            REFUSED,
        ),
    ),
    Model(
        "SkinJointTwice",
        "The same joint twice",
        UNDEFINED,
        SKINNED_ATTRIBUTES,
        "Joints MUST NOT contain more than one non-zero weight for a given vertex.",
        "Two influences of each vertex are of the same joint.",
        _joint_twice,
        (FORMULA, REFUSED),
    ),
    Model(
        "SkinUnusedJoints",
        "Joints with no weight",
        REQUIRED,
        SKINNED_ATTRIBUTES,
        "Unused joint values (i.e., joints with a weight of zero) SHOULD be set to zero.",
        "Influences of zero weight name the third joint instead of the first. It is a joint of the skin, so "
        "that nothing changes.",
        _unused_joints,
    ),
    Model(
        "SkinPrimitives",
        "Two primitives",
        REQUIRED,
        MESHES,
        "Meshes are defined as arrays of primitives.",
        "The ribbon's lower and upper half are two primitives, with joints and weights of different "
        "component types.",
        _primitives,
    ),
    Model(
        "SkinUnindexed",
        "No indices",
        REQUIRED,
        MESHES,
        "Indexed primitives also define an indices property.",
        "The ribbon's primitive has no indices: three vertices for each triangle.",
        _unindexed,
    ),
)
