"""Models about how numbers are stored: component types, sparse accessors, strides, offsets, containers."""

from __future__ import annotations

import numpy as np

from tests.conformance.generator.document import (
    ARRAY_BUFFER,
    FLOAT,
    MOST,
    SHORT,
    UBYTE,
    USHORT,
    Document,
    bounds_of,
    stored,
)
from tests.conformance.generator.model import (
    ALIGNMENT,
    ANIMATIONS,
    BUFFERS,
    GLB_BUFFER,
    OVERVIEW_OF_SKINS,
    REQUIRED,
    SKINNED_ATTRIBUTES,
    SPARSE,
    Model,
)
from tests.conformance.generator.rig import (
    BEND,
    KEY_TIMES,
    attributes,
    bend,
    chain,
    channel,
    clock,
    plain_strip,
    position_accessor,
    primitive,
    ribbon,
    show,
    skin,
    skinned_mesh,
)
from tests.conformance.generator.strip import strip
from tests.conformance.generator.transforms import turn


def _sparse(document: Document, values: np.ndarray, changed: np.ndarray, kind: str, **base: object) -> int:
    """Add a sparse accessor that replaces some elements; return its index. base: what else it has."""
    few = np.flatnonzero(changed)
    indices = document.view(few.astype("<u2").tobytes())
    replaced = document.view(stored(values[few]).tobytes())
    return document.add(
        "accessors",
        componentType=FLOAT,
        count=len(values),
        type=kind,
        sparse={
            "count": len(few),
            "indices": {"bufferView": indices, "componentType": USHORT},
            "values": {"bufferView": replaced},
        },
        **base,
    )


def _sparse_positions() -> Document:
    document = Document()
    bones, shape = chain(document), strip()
    # The upper half of the ribbon lies flat on the ground until its sparse positions replace it.
    upper = shape.positions[:, 1] > 1
    stored_first = np.where(upper[:, None], shape.positions * [1, 0, 1], shape.positions)
    base = document.view(stored(stored_first).tobytes(), target=ARRAY_BUFFER)
    positions = _sparse(
        document, shape.positions, upper, "VEC3", bufferView=base, **bounds_of(shape.positions)
    )
    return _finished(document, bones, attributes(document, shape, POSITION=positions))


def _sparse_weights() -> Document:
    document = Document()
    bones, shape = chain(document), strip()
    weights = _sparse(document, shape.weights, np.ones(len(shape.weights), bool), "VEC4")
    return _finished(document, bones, attributes(document, shape, WEIGHTS_0=weights))


def _sparse_keys() -> Document:
    document = Document()
    bones, shape = chain(document), strip()
    node = ribbon(document, shape, skin(document, bones))
    moves = np.array([[0.0, 0.0, 0.0], [1.0, 0.5, 0.0], [0.0, 0.0, 0.0], [0.5, 0.25, 0.5]])
    output = _sparse(document, moves, moves.any(axis=1), "VEC3")
    channel(document, bones[0], "translation", clock(document, (0.75, 1.0, 2.0, 3.0)), output)
    bend(document, bones)
    return show(document, [bones[0], node])


def _finished(document: Document, bones: list[int], accessors: dict[str, int]) -> Document:
    node = skinned_mesh(document, [primitive(document, strip(), accessors)], skin(document, bones))
    bend(document, bones)
    return show(document, [bones[0], node])


def _interleaved() -> Document:
    document = Document()
    bones, shape = chain(document), strip()
    count = len(shape.positions)
    # Each vertex: weights, four bytes that belong to no accessor, joints, position.
    records = np.zeros(
        count, dtype=[("weights", "<f4", 4), ("gap", "u1", 4), ("joints", "<u2", 4), ("position", "<f4", 3)]
    )
    records["weights"], records["joints"] = stored(shape.weights), shape.joints
    records["position"], records["gap"] = stored(shape.positions), 0xFF
    view = document.view(records.tobytes(), target=ARRAY_BUFFER, byteStride=records.itemsize)

    def within(name: str, component: int, kind: str, **more: object) -> int:
        offset = records.dtype.fields[name][1]
        return document.add(
            "accessors",
            bufferView=view,
            byteOffset=offset,
            componentType=component,
            count=count,
            type=kind,
            **more,
        )

    accessors = {
        "POSITION": within("position", FLOAT, "VEC3", **bounds_of(shape.positions)),
        "JOINTS_0": within("joints", USHORT, "VEC4"),
        "WEIGHTS_0": within("weights", FLOAT, "VEC4"),
    }
    return _finished(document, bones, accessors)


def _byte_offsets() -> Document:
    document = Document()
    bones, shape = chain(document), strip()
    junk = b"\x7f" * 64

    def late(values: np.ndarray, component: int, kind: str, **more: object) -> int:
        content = junk + stored(values, component).tobytes()
        view = document.view(content, **({"target": ARRAY_BUFFER} if kind != "MAT4" else {}))
        return document.add(
            "accessors",
            bufferView=view,
            byteOffset=len(junk),
            componentType=component,
            count=len(values),
            type=kind,
            **more,
        )

    accessors = {
        "POSITION": late(shape.positions, FLOAT, "VEC3", **bounds_of(shape.positions)),
        "JOINTS_0": late(shape.joints, UBYTE, "VEC4"),
        "WEIGHTS_0": late(shape.weights, FLOAT, "VEC4"),
    }
    matrices = np.array([np.linalg.inv(document.in_world(bone)).T.reshape(16) for bone in bones])
    bound = document.add("skins", inverseBindMatrices=late(matrices, FLOAT, "MAT4"), joints=bones)
    node = skinned_mesh(document, [primitive(document, shape, accessors)], bound)
    bend(document, bones)
    return show(document, [bones[0], node])


def _rotation_shorts() -> Document:
    document = Document()
    bones, shape = chain(document), strip()
    node = ribbon(document, shape, skin(document, bones))
    for bone, (axis, degrees) in zip(bones, BEND, strict=True):
        whole = np.rint(np.array([turn(axis, one) for one in degrees]) * MOST[SHORT]).astype(int)
        output = document.accessor(whole, "VEC4", SHORT, normalized=True)
        channel(document, bone, "rotation", clock(document, KEY_TIMES), output)
    return show(document, [bones[0], node])


def _two_buffers() -> Document:
    document = Document()
    bones, shape = chain(document), strip()
    accessors = {
        "POSITION": position_accessor(document, shape.positions),
        "JOINTS_0": document.accessor(shape.joints, "VEC4", UBYTE, target=ARRAY_BUFFER, buffer=1),
        "WEIGHTS_0": document.accessor(shape.weights, "VEC4", target=ARRAY_BUFFER, buffer=1),
    }
    return _finished(document, bones, accessors)


STORAGE_MODELS = (
    Model(
        "SkinPlain",
        "Plain skin",
        REQUIRED,
        OVERVIEW_OF_SKINS,
        "glTF 2.0 meshes support Linear Blend Skinning via skin objects, joint hierarchies, and designated "
        "vertex attributes.",
        "Three bones bend a ribbon, with float weights, byte joints and linear rotation keys. An engine "
        "that is wrong here is wrong everywhere: look at this one first.",
        plain_strip,
    ),
    Model(
        "SkinWeightsUnsignedByte",
        "Weights in unsigned bytes",
        REQUIRED,
        SKINNED_ATTRIBUTES,
        "WEIGHTS_n: float, or normalized unsigned byte, or normalized unsigned short",
        "Weights are normalized bytes that add up to 255. Read as they are, the ribbon is 255 times too "
        "large.",
        lambda: plain_strip(weights=UBYTE),
    ),
    Model(
        "SkinWeightsUnsignedShort",
        "Weights in unsigned shorts",
        REQUIRED,
        SKINNED_ATTRIBUTES,
        "WEIGHTS_n: float, or normalized unsigned byte, or normalized unsigned short",
        "Weights are normalized 16-bit integers that add up to 65535.",
        lambda: plain_strip(weights=USHORT),
    ),
    Model(
        "SkinJointsUnsignedShort",
        "Joints in unsigned shorts",
        REQUIRED,
        SKINNED_ATTRIBUTES,
        "JOINTS_n: unsigned byte or unsigned short",
        "Joint numbers are 16-bit integers, though none needs more than a byte.",
        lambda: plain_strip(joints=USHORT),
    ),
    Model(
        "SkinSparsePositions",
        "Sparse positions",
        REQUIRED,
        SPARSE,
        "a sparse accessor includes a sparse JSON object describing the elements that are different from "
        "their initialization values",
        "The upper half of the ribbon is stored flat on the ground; sparse positions put it in place.",
        _sparse_positions,
    ),
    Model(
        "SkinSparseWeights",
        "Sparse weights without a buffer view",
        REQUIRED,
        SPARSE,
        "When accessor.bufferView is undefined, the sparse accessor is initialized as an array of zeros",
        "The accessor of weights has no buffer view: every weight is in its sparse part.",
        _sparse_weights,
    ),
    Model(
        "SkinSparseKeys",
        "Sparse keys",
        REQUIRED,
        SPARSE,
        "When accessor.bufferView is undefined, the sparse accessor is initialized as an array of zeros",
        "Two of four translation keys of the first bone are sparse values; the others are zeros that are not "
        "stored.",
        _sparse_keys,
        times=(0.5, 0.875, 1.5, 2.5, 3.5),
    ),
    Model(
        "SkinInterleaved",
        "Interleaved attributes",
        REQUIRED,
        ALIGNMENT,
        "When two or more vertex attribute accessors use the same bufferView, its byteStride MUST be "
        "defined.",
        "Weights, joints and positions of a vertex lie together in one buffer view, with four unused bytes "
        "among them. An engine that overlooks the stride shows splinters.",
        _interleaved,
    ),
    Model(
        "SkinByteOffsets",
        "Byte offsets",
        REQUIRED,
        ALIGNMENT,
        "The offset of an accessor into a bufferView (i.e., accessor.byteOffset) and the offset of an "
        "accessor into a buffer (i.e., accessor.byteOffset + bufferView.byteOffset) MUST be a multiple of "
        "the size of the accessor's component type.",
        "Positions, joints, weights and inverse bind matrices begin 64 bytes into their buffer views; what "
        "lies before is nonsense.",
        _byte_offsets,
    ),
    Model(
        "SkinRotationShort",
        "Rotation keys in shorts",
        REQUIRED,
        ANIMATIONS,
        "Implementations MUST use following equations to decode real floating-point value f from a "
        "normalized integer c: signed short, f = max(c / 32767.0, -1.0)",
        "Rotation keys are normalized 16-bit integers. Their quaternions are units only within 2e-5, so "
        "that an engine that doesn't normalize them may be off by as much.",
        _rotation_shorts,
        tolerance=3e-4,
    ),
    Model(
        "SkinBinary",
        "Binary container",
        REQUIRED,
        GLB_BUFFER,
        "The glTF asset MAY use the GLB file container to pack glTF JSON and one glTF buffer into one file.",
        "The plain skin in a .glb file.",
        plain_strip,
        container="glTF-Binary",
    ),
    Model(
        "SkinEmbedded",
        "Embedded buffer",
        REQUIRED,
        BUFFERS,
        "Buffer data MAY alternatively be embedded in the glTF file via data: URI with base64 encoding.",
        "The plain skin with its buffer in a data URI.",
        plain_strip,
        container="glTF-Embedded",
    ),
    Model(
        "SkinTwoBuffers",
        "Two buffers",
        REQUIRED,
        BUFFERS,
        "glTF assets MAY have any number of buffer resources.",
        "Joints and weights are in a second file, whose name has spaces, written as %20 in its URI.",
        _two_buffers,
    ),
)
