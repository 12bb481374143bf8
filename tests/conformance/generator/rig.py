"""Parts of a skinned character: bones, skins, skinned meshes, keys. A model is a few calls of these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.conformance.generator.document import (
    ARRAY_BUFFER,
    ELEMENT_ARRAY_BUFFER,
    FLOAT,
    MOST,
    UBYTE,
    USHORT,
    Document,
)
from tests.conformance.generator.strip import Strip, strip
from tests.conformance.generator.transforms import Z, turn

KEY_TIMES = (1.0, 2.0, 3.0)
"""Seconds. The last two keys are usually the same, so that a looping player rests where the target is."""

BEND = ((Z, (0.0, -15.0, -15.0)), (Z, (10.0, 55.0, 55.0)), ((0.3, 0.4, 1.0), (0.0, 45.0, 45.0)))
"""How the bones of a chain turn: the axis, and degrees at each key."""

SKIN_COLOR, TARGET_COLOR = (0.1, 0.55, 0.35, 1.0), (0.9, 0.1, 0.05, 1.0)


def chain(document: Document, bones: int = 3, name: str = "joint", **root: Any) -> list[int]:
    """Add bones of a meter along Y, each the parent of the next; return their nodes. root: of the first."""
    first = len(document.json.get("nodes", ()))
    for bone in range(bones):
        place = root if bone == 0 else {"translation": [0.0, 1.0, 0.0]}
        document.node(
            name=f"{name} {bone}", **place, children=[first + bone + 1] if bone + 1 < bones else None
        )
    return list(range(first, first + bones))


def inverse_binds(document: Document, joints: Sequence[int], bind: np.ndarray | None = None) -> int:
    """Add the inverse bind matrices of joints as the nodes rest now; return the accessor. bind: (4, 4), takes
    the mesh to where it is bound.
    """
    at_rest = np.eye(4) if bind is None else bind
    matrices = [np.linalg.inv(document.in_world(joint)) @ at_rest for joint in joints]
    return matrix_accessor(document, matrices)


def matrix_accessor(document: Document, matrices: Sequence[np.ndarray]) -> int:
    """Add matrices, column by column; return the accessor."""
    return document.accessor(np.array([one.T.reshape(16) for one in matrices]), "MAT4")


def skin(document: Document, joints: Sequence[int], **more: Any) -> int:
    """Add a skin whose joints are bound as the nodes rest now; return its index."""
    return document.add(
        "skins", **{"inverseBindMatrices": inverse_binds(document, joints), "joints": list(joints)} | more
    )


def attributes(
    document: Document, shape: Strip, *, joints: int = UBYTE, weights: int = FLOAT, **own: int
) -> dict[str, int]:
    """Add a ribbon's vertex attributes, of these component types; return the accessors. own: accessors that the
    model has made itself, by attribute.
    """
    result = dict(own)
    if "POSITION" not in own:
        result["POSITION"] = position_accessor(document, shape.positions)
    result["JOINTS_0"] = document.accessor(shape.joints, "VEC4", joints, target=ARRAY_BUFFER)
    if "WEIGHTS_0" not in own:
        result["WEIGHTS_0"] = weight_accessor(document, shape.weights, weights)
    return result


def position_accessor(document: Document, positions: np.ndarray) -> int:
    """Add (V, 3) positions; return the accessor."""
    return document.accessor(positions, "VEC3", target=ARRAY_BUFFER, bounds=True)


def weight_accessor(document: Document, weights: np.ndarray, component: int = FLOAT) -> int:
    """Add (V, 4) weights of a component type; return the accessor."""
    if component == FLOAT:
        return document.accessor(weights, "VEC4", target=ARRAY_BUFFER)
    return document.accessor(
        quantized(weights, MOST[component]), "VEC4", component, target=ARRAY_BUFFER, normalized=True
    )


def quantized(weights: np.ndarray, most: int) -> np.ndarray:
    """Return (V, 4) whole numbers whose sum is `most` exactly: the largest weight takes up the rounding."""
    whole = np.rint(weights * most).astype(int)
    largest = np.argmax(whole, axis=1)
    whole[np.arange(len(whole)), largest] += most - whole.sum(axis=1)
    return whole


def primitive(document: Document, shape: Strip, accessors: dict[str, int], **more: Any) -> dict[str, Any]:
    """Return a primitive in the skin's color. Its vertices are numbered on from those already in the file."""
    numbers = document.vertices + np.arange(len(shape.positions))
    document.vertices += len(numbers)
    source = document.accessor(numbers, "SCALAR", target=ARRAY_BUFFER)
    indices = {}
    if shape.triangles is not None:
        corners = shape.triangles.reshape(-1)
        indices["indices"] = document.accessor(corners, "SCALAR", USHORT, target=ELEMENT_ARRAY_BUFFER)
    return {
        "attributes": {**accessors, "_SOURCE": source},
        **indices,
        "material": material(document, "skin", SKIN_COLOR),
        **more,
    }


def material(document: Document, name: str, color: Sequence[float]) -> int:
    """Return the material of this name, added at its first use."""
    for index, one in enumerate(document.json.get("materials", ())):
        if one["name"] == name:
            return index
    shading = {"baseColorFactor": list(color), "metallicFactor": 0.0, "roughnessFactor": 1.0}
    return document.add("materials", name=name, doubleSided=True, pbrMetallicRoughness=shading)


def skinned_mesh(
    document: Document, primitives: list[dict[str, Any]], skin: int, name: str = "skin", **node: Any
) -> int:
    """Add a mesh and a node that skins it; return the node."""
    mesh = document.add("meshes", name=name, primitives=primitives)
    return document.node(name=name, mesh=mesh, skin=skin, **node)


def keys(
    document: Document,
    node: int,
    path: str,
    values: Sequence[Sequence[float]] | Sequence[float],
    times: Sequence[float] = KEY_TIMES,
    *,
    animation: int = 0,
    interpolation: str | None = None,
) -> None:
    """Add a channel with float keys to an animation. values: one for each time, three for cubic splines."""
    kind = {"rotation": "VEC4", "weights": "SCALAR"}.get(path, "VEC3")
    output = document.accessor(np.array(values, dtype=np.float64), kind)
    channel(
        document,
        node,
        path,
        clock(document, times),
        output,
        animation=animation,
        interpolation=interpolation,
    )


def clock(document: Document, times: Sequence[float]) -> int:
    """Add the times of keys; return the accessor."""
    return document.accessor(np.array(times), "SCALAR", bounds=True)


def channel(
    document: Document,
    node: int,
    path: str,
    times: int,
    output: int,
    *,
    animation: int = 0,
    interpolation: str | None = None,
) -> None:
    """Add a channel with a sampler of its own. times, output: accessors."""
    animations = document.json.setdefault("animations", [])
    while len(animations) <= animation:
        animations.append({"name": f"animation {len(animations)}", "samplers": [], "channels": []})
    samplers = animations[animation]["samplers"]
    samplers.append(
        {"input": times, "output": output} | ({"interpolation": interpolation} if interpolation else {})
    )
    target = {"node": node, "path": path}
    animations[animation]["channels"].append({"sampler": len(samplers) - 1, "target": target})


def bend(document: Document, joints: Sequence[int], **more: Any) -> None:
    """Key the usual bend of a chain of three bones."""
    for joint, (axis, degrees) in zip(joints, BEND, strict=True):
        keys(document, joint, "rotation", [turn(axis, one) for one in degrees], **more)


def pose(document: Document, node: int, **place: Any) -> None:
    """Change a node's rest transform after skins were bound to it."""
    document.json["nodes"][node].update(place)


def ribbon(document: Document, shape: Strip, skin: int, name: str = "skin", **node: Any) -> int:
    """Add a ribbon with the usual attributes and a node that skins it; return the node."""
    return skinned_mesh(
        document, [primitive(document, shape, attributes(document, shape))], skin, name, **node
    )


def show(document: Document, roots: Sequence[int]) -> Document:
    """Put nodes in the scene, and return the document."""
    document.json["scenes"], document.json["scene"] = [{"nodes": list(roots)}], 0
    return document


def plain_strip(*, joints: int = UBYTE, weights: int = FLOAT) -> Document:
    """Make the usual model: a ribbon on a chain of three bones that bends."""
    document = Document()
    bones = chain(document)
    shape = strip()
    accessors = attributes(document, shape, joints=joints, weights=weights)
    node = skinned_mesh(document, [primitive(document, shape, accessors)], skin(document, bones))
    bend(document, bones)
    return show(document, [bones[0], node])
