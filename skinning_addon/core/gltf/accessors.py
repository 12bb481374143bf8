"""Accessors: typed arrays within a file's buffers (clause 3.6.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..text.message import Message
from ..text.quoted import shown
from .container import GltfFile

COMPONENTS: dict[int, np.dtype[Any]] = {
    5120: np.dtype("<i1"),
    5121: np.dtype("<u1"),
    5122: np.dtype("<i2"),
    5123: np.dtype("<u2"),
    5125: np.dtype("<u4"),
    5126: np.dtype("<f4"),
}

SHAPES = {
    "SCALAR": (1,),
    "VEC2": (2,),
    "VEC3": (3,),
    "VEC4": (4,),
    "MAT2": (2, 2),
    "MAT3": (3, 3),
    "MAT4": (4, 4),
}
"""Matrices are stored column by column: read row by row, they are row-vector matrices already."""

COLUMN_ALIGNMENT = 4
"""In bytes: columns of matrices begin at multiples of it (clause 3.6.2.4)."""


def read_accessor(file: GltfFile, index: int) -> NDArray[Any]:
    """Return an accessor's elements, (N, ...) by its type: float64, or int64 if it holds plain integers.

    Normalized integers become floats (clause 3.11), and sparse elements are filled in.

    Raises:
        SourceFileError: the accessor contradicts the specification, or lies beyond its buffer.
    """
    accessor = file.one_of("accessors", index)
    component = _component(file, accessor)
    shape = SHAPES.get(accessor["type"])
    if shape is None:
        file.invalid(Message("an accessor has the type {type}", type=shown(accessor["type"])))
    count = _length(file, accessor["count"])
    if accessor.get("bufferView") is None:
        elements = np.zeros((count, *shape), dtype=component)
    else:
        elements = _viewed(file, accessor, component, shape, count)
    if accessor.get("sparse") is not None:
        elements = _with_sparse(file, accessor["sparse"], elements, component, shape)
    if accessor.get("normalized", False):
        return _from_normalised(elements)
    return elements.astype(np.float64) if component.kind == "f" else elements.astype(np.int64)


def _component(file: GltfFile, held: Mapping[str, Any]) -> np.dtype[Any]:
    component = COMPONENTS.get(held["componentType"])
    if component is None:
        file.invalid(Message("an accessor has the component type {type}", type=shown(held["componentType"])))
    return component


def _length(file: GltfFile, count: object) -> int:
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        file.invalid(Message("an accessor has {count} elements", count=shown(count)))
    return count


def _viewed(
    file: GltfFile,
    held: Mapping[str, Any],
    component: np.dtype[Any],
    shape: tuple[int, ...],
    count: int,
) -> NDArray[Any]:
    """Return the elements within a buffer view, copied. held: refers to the view, and may have an offset."""
    view = file.one_of("bufferViews", held["bufferView"])
    file.one_of("buffers", view["buffer"])
    buffer = file.buffers[int(view["buffer"])]
    size = component.itemsize * shape[-1]
    inner: tuple[int, ...] = (component.itemsize,)
    if len(shape) == 2:
        column = -(-size // COLUMN_ALIGNMENT) * COLUMN_ALIGNMENT
        inner = (column, component.itemsize)
        size = column * shape[0]
    stride = view.get("byteStride", size)
    first, within = view.get("byteOffset", 0), held.get("byteOffset", 0)
    needed = within + (stride * (count - 1) + size if count else 0)
    if min(first, within, stride) < 0 or needed > view["byteLength"] or first + needed > len(buffer):
        file.invalid(
            Message(
                "an accessor needs {needed} bytes of buffer view {view}, which is shorter",
                needed=needed,
                view=held["bufferView"],
            )
        )
    return np.ndarray((count, *shape), component, buffer, first + within, (stride, *inner)).copy()


def _with_sparse(
    file: GltfFile,
    sparse: Mapping[str, Any],
    elements: NDArray[Any],
    component: np.dtype[Any],
    shape: tuple[int, ...],
) -> NDArray[Any]:
    count = _length(file, sparse["count"])
    replaced = _viewed(file, sparse["indices"], _component(file, sparse["indices"]), (1,), count).reshape(-1)
    if count and (replaced.dtype.kind != "u" or int(replaced.max()) >= len(elements)):
        file.invalid(Message("a sparse accessor replaces an element that it does not have"))
    elements[replaced] = _viewed(file, sparse["values"], component, shape, count)
    return elements


def _from_normalised(elements: NDArray[Any]) -> NDArray[np.float64]:
    if elements.dtype.kind == "f":
        return elements.astype(np.float64)
    return np.maximum(elements / np.float64(np.iinfo(elements.dtype).max), -1.0)
