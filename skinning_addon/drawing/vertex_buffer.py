"""Vertex and index buffers from numpy arrays, with the checks that Blender omits."""

from __future__ import annotations

from collections.abc import Mapping

import gpu
import numpy as np
from numpy.typing import NDArray

_COMPONENT_OF_DTYPE = {
    np.dtype(np.float32): ("F32", "FLOAT"),
    np.dtype(np.uint16): ("U16", "INT"),
    np.dtype(np.uint32): ("U32", "INT"),
}


def vertex_buffer(attributes: Mapping[str, NDArray[np.generic]]) -> gpu.types.GPUVertBuf:
    """Make a vertex buffer of (N, components) arrays by attribute name: float32, uint16 or uint32.

    After its first draw a vertex buffer can't be filled again.

    Raises:
        ValueError: no attribute, lengths that differ, another dtype, or an attribute whose size is not a
            multiple of 4 bytes, which Blender 5 reads as garbage.
    """
    lengths = {len(values) for values in attributes.values()}
    if len(lengths) != 1:
        raise ValueError(f"attributes of {sorted(lengths)} vertices")
    layout = gpu.types.GPUVertFormat()
    for name, values in attributes.items():
        if values.dtype not in _COMPONENT_OF_DTYPE or values.ndim != 2:
            raise ValueError(f"{name}: a {values.ndim}-dimensional array of {values.dtype}")
        if values.shape[1] * values.itemsize % 4:
            raise ValueError(f"{name}: {values.shape[1]} components of {values.itemsize} bytes")
        component, fetch = _COMPONENT_OF_DTYPE[values.dtype]
        layout.attr_add(id=name, comp_type=component, len=values.shape[1], fetch_mode=fetch)
    buffer = gpu.types.GPUVertBuf(layout, lengths.pop())
    for name, values in attributes.items():
        # Blender accepts strided views and any type of the right shape, and misreads them.
        buffer.attr_fill(name, np.ascontiguousarray(values))
    return buffer


def index_buffer(primitive: str, indices: NDArray[np.integer]) -> gpu.types.GPUIndexBuf:
    """Make an index buffer for 'TRIS' from (T, 3), or for 'LINES' from (E, 2), vertex indices."""
    return gpu.types.GPUIndexBuf(type=primitive, seq=np.ascontiguousarray(indices, dtype=np.uint32))
