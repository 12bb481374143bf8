"""Textures holding numbers for shaders to fetch, not images."""

from __future__ import annotations

import gpu
import numpy as np
from numpy.typing import NDArray

from ..core.text.errors import DeviceError

FORMAT_OF_CHANNELS = {1: "R32F", 2: "RG32F", 4: "RGBA32F"}

LARGEST_SIDE = 16384
"""The texture size that OpenGL 4.3 and Vulkan guarantee."""


def texel_rows(count: int, width: int, what: str) -> int:
    """Return how many rows of `width` texels hold `count` of them; at least 1.

    Raises:
        DeviceError: more than a texture can hold; `what` names what there is too much of.
    """
    rows = max(1, -(-count // width))
    if rows > LARGEST_SIDE:
        raise DeviceError(
            "{what} don't fit into a texture: {count:,} entries, but at most {most:,} fit.",
            what=what,
            count=count,
            most=LARGEST_SIDE * width,
        )
    return rows


def float_texture(texels: NDArray[np.float32]) -> gpu.types.GPUTexture:
    """Make a texture of `texels`: (height, width, channels) float32, C-contiguous, channels 1, 2 or 4.

    The numbers are copied to the GPU immediately, so `texels` may be reused. A texture can't be updated in
    place: new numbers need a new texture.
    """
    height, width, channels = texels.shape
    # Blender checks neither the type nor the order of its input.
    if texels.dtype != np.float32 or not texels.flags.c_contiguous:
        raise ValueError("texels must be C-contiguous float32")
    buffer = gpu.types.Buffer("FLOAT", texels.size, texels.reshape(-1))
    return gpu.types.GPUTexture((width, height), format=FORMAT_OF_CHANNELS[channels], data=buffer)
