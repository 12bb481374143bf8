"""Models about transforms: of joints, of nodes above them, and of the node that shows the mesh."""

from __future__ import annotations

import numpy as np

from tests.conformance.generator.document import Document
from tests.conformance.generator.model import (
    GLOBAL_TRANSFORMS,
    INVERSE_BINDS,
    JOINT_HIERARCHY,
    REQUIRED,
    TRANSFORMATIONS,
    Model,
)
from tests.conformance.generator.rig import (
    bend,
    chain,
    inverse_binds,
    keys,
    pose,
    ribbon,
    show,
    skin,
)
from tests.conformance.generator.strip import Strip, grid_triangles, strip
from tests.conformance.generator.transforms import X, Y, Z, turn

MESH_IS_IGNORED = (
    "Only the joint transforms are applied to the skinned mesh; the transform of the skinned mesh node MUST "
    "be ignored."
)


def _mesh_under_joint() -> Document:
    document = Document()
    bones = chain(document)
    node = ribbon(document, strip(), skin(document, bones))
    document.json["nodes"][bones[2]]["children"] = [node]
    bend(document, bones)
    return show(document, [bones[0]])


def _node_moved() -> Document:
    document = Document()
    bones = chain(document)
    node = ribbon(
        document, strip(), skin(document, bones), translation=[0.5, -0.4, 0.3], rotation=turn((1, 1, 0), 70)
    )
    above = document.node(
        name="above the mesh", translation=[1.0, 0.0, 0.0], rotation=turn(Y, 40), children=[node]
    )
    keys(document, above, "translation", [[1.0, 0.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]])
    bend(document, bones)
    return show(document, [bones[0], above])


def _node_scaled() -> Document:
    document = Document()
    bones = chain(document)
    node = ribbon(document, strip(), skin(document, bones), scale=[2.0, 0.5, -1.5])
    bend(document, bones)
    return show(document, [bones[0], node])


def _root_moved() -> Document:
    document = Document()
    place = {"translation": [0.3, 0.4, 0.0], "rotation": turn(X, 20), "scale": [0.7, 0.7, 0.7]}
    root = document.node(name="root", **place, children=[1])
    bones = chain(document)
    binds = inverse_binds(document, bones, document.in_world(root))
    node = ribbon(document, strip(), document.add("skins", inverseBindMatrices=binds, joints=bones))
    keys(document, root, "rotation", [turn(Z, one) for one in (0, -35, -35)])
    bend(document, bones)
    return show(document, [root, node])


def _posed(*places: dict[str, list[float]]) -> Document:
    """Make the plain skin with bones that are not where they were bound."""
    document = Document()
    bones = chain(document)
    node = ribbon(document, strip(), skin(document, bones))
    for bone, place in zip(bones, places, strict=True):
        pose(document, bone, **place)
    bend(document, bones)
    return show(document, [bones[0], node])


def _scaled_to_zero() -> Document:
    document = Document()
    bones = chain(document)
    node = ribbon(document, strip(), skin(document, bones))
    document.json["nodes"][bones[2]]["children"] = [node]
    keys(document, bones[2], "scale", [[1.0, 1.0, 1.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    keys(document, bones[1], "rotation", [turn(Z, one) for one in (0, 30, 30)])
    return show(document, [bones[0]])


def _matrices() -> Document:
    document = Document()
    bones = chain(document)
    node = ribbon(document, strip(), skin(document, bones))
    # A quarter turn about Z with scale 1.25, column by column.
    nodes = document.json["nodes"]
    del nodes[bones[1]]["translation"]
    nodes[bones[1]]["matrix"] = [
        0.0,
        1.25,
        0.0,
        0.0,
        -1.25,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        1.25,
        0.0,
        0.1,
        1.0,
        0.2,
        1.0,
    ]
    keys(document, bones[2], "rotation", [turn(Z, one) for one in (0, -80, -80)])
    return show(document, [bones[0], node])


def _no_inverse_binds() -> Document:
    document = Document()
    bones = chain(document)
    # Each of three pieces is stored in its own bone's space, a meter long.
    piece = np.array([[-0.3, 0.0, 0.0], [0.3, 0.0, 0.0], [-0.2, 0.95, 0.1], [0.2, 0.95, 0.1]])
    triangles = np.concatenate([grid_triangles(2, 2) + 4 * bone for bone in range(3)])
    joints, weights = np.zeros((12, 4), dtype=int), np.zeros((12, 4))
    joints[:, 0], weights[:, 0] = np.repeat(np.arange(3), 4), 1
    node = ribbon(
        document,
        Strip(np.tile(piece, (3, 1)), triangles, joints, weights),
        document.add("skins", joints=bones),
    )
    bend(document, bones)
    return show(document, [bones[0], node])


TRANSFORM_MODELS = (
    Model(
        "SkinMeshUnderJoint",
        "A skinned mesh under a joint",
        REQUIRED,
        JOINT_HIERARCHY,
        MESH_IS_IGNORED,
        "The node of the skinned mesh is a child of the last joint. An engine that applies the node's "
        "transform bends the ribbon twice.",
        _mesh_under_joint,
    ),
    Model(
        "SkinNodeMoved",
        "A skinned mesh that is moved",
        REQUIRED,
        JOINT_HIERARCHY,
        MESH_IS_IGNORED,
        "The node of the skinned mesh and its parent are moved and turned, the parent by keys.",
        _node_moved,
    ),
    Model(
        "SkinNodeScaled",
        "A skinned mesh that is scaled",
        REQUIRED,
        JOINT_HIERARCHY,
        MESH_IS_IGNORED,
        "The node of the skinned mesh is scaled unevenly, along Z even negatively.",
        _node_scaled,
    ),
    Model(
        "SkinRootMoved",
        "A transform above the joints",
        REQUIRED,
        TRANSFORMATIONS,
        GLOBAL_TRANSFORMS,
        "A node above the joints, which isn't a joint itself, is moved, turned and scaled, and has keys.",
        _root_moved,
    ),
    Model(
        "SkinNegativeScale",
        "A mirrored joint",
        REQUIRED,
        TRANSFORMATIONS,
        "To compose the local transformation matrix, TRS properties MUST be converted to matrices and "
        "postmultiplied in the T * R * S order",
        "The second joint is mirrored along X, so that the third bends the other way.",
        lambda: _posed({}, {"scale": [-1.0, 1.0, 1.0]}, {}),
    ),
    Model(
        "SkinUnevenScale",
        "Uneven scale of the last joint",
        REQUIRED,
        TRANSFORMATIONS,
        "first the scale is applied to the vertices, then the rotation, and then the translation",
        "The last joint is scaled unevenly.",
        lambda: _posed({}, {}, {"scale": [1.8, 0.6, 2.5]}),
    ),
    Model(
        "SkinShear",
        "Uneven scale above turned joints",
        REQUIRED,
        TRANSFORMATIONS,
        GLOBAL_TRANSFORMS,
        "The first joint is scaled unevenly and the others turn, so that their global matrices shear. An "
        "engine whose hierarchy multiplies scales component by component shows none.",
        lambda: _posed({"scale": [1.6, 0.7, 1.0]}, {}, {}),
    ),
    Model(
        "SkinScaledToZero",
        "A joint scaled to zero",
        REQUIRED,
        TRANSFORMATIONS,
        "Skinned meshes must not use this optimization unless all of the joints in the skin are scaled to "
        "zero simultaneously.",
        "The last joint shrinks to a point, and the node of the skinned mesh is its child. The rest of the "
        "ribbon must stay visible.",
        _scaled_to_zero,
    ),
    Model(
        "SkinMatrices",
        "A joint with a matrix",
        REQUIRED,
        TRANSFORMATIONS,
        "Any node MAY define a local space transform either by supplying a matrix property, or any of "
        "translation, rotation, and scale properties",
        "The second joint, which has no keys, is placed by a matrix.",
        _matrices,
    ),
    Model(
        "SkinNoInverseBind",
        "No inverse bind matrices",
        REQUIRED,
        INVERSE_BINDS,
        "When undefined, each matrix is a 4x4 identity matrix.",
        "Three pieces are stored in the spaces of their joints, and there are no inverse bind matrices. An "
        "engine that computes them from the nodes piles the pieces up at the bottom.",
        _no_inverse_binds,
    ),
)
