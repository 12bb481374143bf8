"""Pixels -> PNG (ISO/IEC 15948). Blender's own writer isn't used: on a full disk it leaves an empty file
without an error.
"""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

SIGNATURE = b"\x89PNG\r\n\x1a\n"

RED_GREEN_BLUE_ALPHA = 6

UP = 2
"""The filter of every row: each byte less the one above it. Flat surfaces become zeros."""


def png_content(pixels: NDArray[np.uint8] | NDArray[np.uint16], *, is_color: bool = True) -> bytes:
    """Return (height, width, 4) pixels of 8 or 16 bits, the top row first, as the bytes of a .png file.

    is_color: whether they are sRGB; otherwise the file doesn't say what they are.
    """
    height, width, _ = pixels.shape
    bits = 8 * pixels.dtype.itemsize
    # The highest byte of a number comes first.
    rows = (
        np.ascontiguousarray(pixels, dtype=pixels.dtype.newbyteorder(">")).view(np.uint8).reshape(height, -1)
    )
    filtered = np.empty((height, rows.shape[1] + 1), dtype=np.uint8)
    filtered[:, 0] = UP
    filtered[:1, 1:] = rows[:1]
    # Differences modulo 256, as the format requires.
    np.subtract(rows[1:], rows[:-1], out=filtered[1:, 1:])
    return SIGNATURE + b"".join(
        _chunk(kind, data)
        for kind, data in (
            (b"IHDR", struct.pack(">IIBBBBB", width, height, bits, RED_GREEN_BLUE_ALPHA, 0, 0, 0)),
            *([(b"sRGB", b"\0")] if is_color else []),
            (b"IDAT", zlib.compress(filtered.tobytes())),
            (b"IEND", b""),
        )
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
