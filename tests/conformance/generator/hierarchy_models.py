"""Models about joints in the node hierarchy: which nodes are joints, their order, and their names."""

from __future__ import annotations

import numpy as np

from tests.conformance.generator.document import Document
from tests.conformance.generator.model import (
    FORMULA,
    GLOBAL_TRANSFORMS,
    INSTANTIATION,
    JOINT_HIERARCHY,
    NAMES,
    OVERVIEW_OF_SKINS,
    REFUSED,
    REQUIRED,
    SKELETON,
    TRANSFORMATIONS,
    UNDEFINED,
    Model,
)
from tests.conformance.generator.rig import (
    attributes,
    bend,
    chain,
    inverse_binds,
    keys,
    pose,
    primitive,
    ribbon,
    show,
    skin,
    skinned_mesh,
)
from tests.conformance.generator.strip import Strip, grid_triangles, renumbered, shifted, strip
from tests.conformance.generator.transforms import Z, turn


def _shared_skeleton() -> Document:
    document = Document()
    bones = chain(document)
    left = ribbon(document, shifted(strip(), -0.5), skin(document, bones), "left")
    backwards = skin(document, bones[::-1])
    right = ribbon(document, renumbered(shifted(strip(), 0.5), np.array([2, 1, 0])), backwards, "right")
    bend(document, bones)
    return show(document, [bones[0], left, right])


def _nested_skeletons() -> Document:
    document = Document()
    outer = chain(document, name="outer")
    inner = chain(document, 2, "inner", translation=[1.0, 0.0, 0.0])
    document.json["nodes"][outer[1]]["children"].append(inner[0])
    first = ribbon(document, strip(), skin(document, outer), "outer skin")
    second = ribbon(document, shifted(strip(2), 1.0, 1.0), skin(document, inner), "inner skin")
    bend(document, outer)
    keys(document, inner[1], "rotation", [turn(Z, one) for one in (0, -60, -60)])
    return show(document, [outer[0], first, second])


def _instanced() -> Document:
    document = Document()
    left, right = chain(document, name="left"), chain(document, name="right")
    binds = inverse_binds(document, left)
    pose(document, left[0], translation=[-0.6, 0.0, 0.0])
    pose(document, right[0], translation=[0.6, 0.0, 0.0])
    skins = [document.add("skins", inverseBindMatrices=binds, joints=bones) for bones in (left, right)]
    first = ribbon(document, strip(), skins[0], "left skin")
    second = document.node(name="right skin", mesh=0, skin=skins[1])
    bend(document, left)
    keys(document, right[1], "rotation", [turn(Z, one) for one in (0, -45, -45)])
    return show(document, [left[0], right[0], first, second])


def _nodes_between() -> Document:
    document = Document()
    lower = document.node(name="joint 0", children=[1])
    between = document.node(name="between", translation=[0.0, 0.5, 0.0], children=[2])
    joints = [lower, *chain(document, 2, "upper joint", translation=[0.0, 0.5, 0.0])]
    node = ribbon(document, strip(), skin(document, joints))
    pose(document, between, scale=[1.3, 1.3, 1.3])
    keys(document, between, "rotation", [turn(Z, one) for one in (10, 40, 40)])
    keys(document, joints[2], "rotation", [turn(Z, one) for one in (0, -30, -30)])
    return show(document, [lower, node])


def _skeleton_above() -> Document:
    document = Document()
    top = document.node(name="top", translation=[0.4, 0.2, 0.0], rotation=turn(Z, 15), children=[1])
    document.node(name="middle", scale=[0.8, 0.8, 0.8], children=[2])
    bones = chain(document)
    binds = inverse_binds(document, bones, document.in_world(bones[0]))
    bound = document.add("skins", inverseBindMatrices=binds, joints=bones, skeleton=top)
    node = ribbon(document, strip(), bound)
    bend(document, bones)
    return show(document, [top, node])


def _skeleton_too_low() -> Document:
    document = Document()
    bones = chain(document)
    node = ribbon(document, strip(), skin(document, bones, skeleton=bones[1]))
    bend(document, bones)
    return show(document, [bones[0], node])


def _joint_order() -> Document:
    document = Document()
    upper = document.node(name="upper", translation=[0.0, 1.0, 0.0])
    middle = document.node(name="middle", translation=[0.0, 1.0, 0.0], children=[upper])
    lower = document.node(name="lower", children=[middle])
    # The ribbon's joints 0, 1, 2 are lower, middle, upper.
    shape = renumbered(strip(), np.array([1, 2, 0]))
    node = ribbon(document, shape, skin(document, [upper, lower, middle]))
    bend(document, [lower, middle, upper])
    return show(document, [node, lower])


def _same_names() -> Document:
    document = Document()
    left = chain(document, translation=[-0.6, 0.0, 0.0])
    right = chain(document, translation=[0.6, 0.0, 0.0])
    first = ribbon(document, shifted(strip(), -0.6), skin(document, left))
    second = ribbon(document, shifted(strip(), 0.6), skin(document, right))
    bend(document, left)
    keys(document, right[1], "rotation", [turn(Z, one) for one in (0, -45, -45)])
    return show(document, [left[0], right[0], first, second])


def _named_like_a_joint() -> Document:
    document = Document()
    decoy = document.node(name="joint 1", translation=[-1.0, 0.5, 0.0], rotation=turn(Z, 90))
    bones = chain(document)
    node = ribbon(document, strip(), skin(document, bones))
    root = document.node(name="root", children=[decoy, bones[0], node])
    bend(document, bones)
    return show(document, [root])


def _unnamed() -> Document:
    document = _same_names()
    for kind in ("nodes", "meshes", "animations"):
        for one in document.json[kind]:
            del one["name"]
    return document


def _many_joints() -> Document:
    document, count = Document(), 300
    bones = chain(document, count)
    for bone in bones[1:]:
        pose(document, bone, translation=[0.0, 0.01, 0.0])
    bound = skin(document, bones)
    for bone in bones[1:]:
        pose(document, bone, rotation=turn(Z, 0.9))
    # Four joints hold each row of two vertices.
    rows = count // 4
    joints = np.repeat(np.arange(count).reshape(rows, 4), 2, axis=0)
    weights = np.full((2 * rows, 4), 0.25)
    height = np.repeat(np.arange(rows) * 0.04 + 0.02, 2)
    positions = np.stack((np.tile([-0.1, 0.1], rows), height, np.zeros(2 * rows)), axis=1)
    shape = Strip(positions, grid_triangles(rows, 2), joints, weights)
    accessors = attributes(document, shape, joints=5123)
    node = skinned_mesh(document, [primitive(document, shape, accessors)], bound)
    keys(document, bones[150], "rotation", [turn(Z, one) for one in (0.9, -45, -45)])
    return show(document, [bones[0], node])


HIERARCHY_MODELS = (
    Model(
        "SkinSharedSkeleton",
        "Two skins on one skeleton",
        REQUIRED,
        OVERVIEW_OF_SKINS,
        "The order of joints is defined by the skin.joints array and it MUST match the order of "
        "inverseBindMatrices accessor elements (when the latter is present).",
        "Two ribbons share three joints; the second skin lists them the other way round. An engine that "
        "keeps one list of joints for a skeleton ties the second ribbon to the wrong ones.",
        _shared_skeleton,
    ),
    Model(
        "SkinNestedSkeletons",
        "A skeleton within another",
        REQUIRED,
        JOINT_HIERARCHY,
        "A joint node MAY have other nodes attached to it, even a complete node sub graph with meshes.",
        "The joints of the second skin hang from the second joint of the first.",
        _nested_skeletons,
    ),
    Model(
        "SkinInstanced",
        "One mesh, two skins",
        REQUIRED,
        INSTANTIATION,
        "A skin is instantiated within a node using a combination of the node's mesh and skin properties.",
        "Two nodes draw the same mesh, each with its own skin; the skins share their inverse bind matrices. "
        "An engine that keeps the skin with the mesh draws both in the same place.",
        _instanced,
    ),
    Model(
        "SkinNodesBetween",
        "Nodes between joints",
        REQUIRED,
        TRANSFORMATIONS,
        GLOBAL_TRANSFORMS,
        "Between the first joint and the second is a node that isn't a joint. It is scaled and has keys.",
        _nodes_between,
    ),
    Model(
        "SkinSkeletonAbove",
        "`skeleton` far above",
        REQUIRED,
        OVERVIEW_OF_SKINS,
        "The skeleton property (if present) points to the node that is the common root of a joints "
        "hierarchy or to a direct or indirect parent node of the common root.",
        "`skeleton` names a node two levels above the first joint. It has a transform, which counts as that "
        "of any other parent.",
        _skeleton_above,
    ),
    Model(
        "SkinSkeletonTooLow",
        "A joint outside `skeleton`",
        UNDEFINED,
        SKELETON,
        "The node MUST be the closest common root of the joints hierarchy or a direct or indirect parent "
        "node of the closest common root.",
        "`skeleton` names the second joint, so that the first lies outside. The property is not needed for "
        "computing skinning transforms; the first joint turns all the same.",
        _skeleton_too_low,
        (FORMULA, REFUSED),
    ),
    Model(
        "SkinJointOrder",
        "Joints in another order than nodes",
        REQUIRED,
        OVERVIEW_OF_SKINS,
        "The order of joints is defined by the skin.joints array and it MUST match the order of "
        "inverseBindMatrices accessor elements (when the latter is present).",
        "Children come before parents in the file, and the skin lists the last joint first.",
        _joint_order,
    ),
    Model(
        "SkinSameNames",
        "Two skeletons with the same names",
        REQUIRED,
        NAMES,
        "These property values are not guaranteed to be unique",
        "Two skeletons use the same names for their joints, and their ribbons have the same name. An engine "
        "that finds joints by name ties one ribbon to the other's skeleton.",
        _same_names,
    ),
    Model(
        "SkinNamedLikeJoint",
        "A node named like a joint",
        REQUIRED,
        NAMES,
        "These property values are not guaranteed to be unique",
        "A node that isn't a joint has the name of one, and comes first.",
        _named_like_a_joint,
    ),
    Model(
        "SkinUnnamed",
        "Nothing has a name",
        REQUIRED,
        NAMES,
        "Any top-level glTF object MAY have a name string property",
        "Two ribbons and their skeletons, without any names.",
        _unnamed,
    ),
    Model(
        "SkinManyJoints",
        "300 joints",
        REQUIRED,
        OVERVIEW_OF_SKINS,
        "Each skin is defined by a REQUIRED joints property that lists the indices of nodes used as joints",
        "A chain of 300 joints a centimeter long, more than a byte can number. The errors of 300 products "
        "add up, hence the tolerance.",
        _many_joints,
        tolerance=5e-4,
    ),
)
