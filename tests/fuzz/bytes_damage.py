"""Damages a file's bytes without knowing its format."""

from __future__ import annotations

import numpy as np

INTERESTING = (0, 1, 0x7F, 0x80, 0xFF)


def damaged_bytes(content: bytes, random: np.random.Generator) -> bytes:
    """Flip, overwrite, cut, duplicate, move or drop some bytes; always at least one change."""
    changed = bytearray(content)
    for _ in range(int(random.choice([1, 1, 1, 2, 3]))):
        _damage(changed, random)
    return bytes(changed)


def _damage(content: bytearray, random: np.random.Generator) -> None:
    if not content:
        content += bytes(random.integers(0, 256, 4, dtype=np.uint8))
        return
    offset = int(random.integers(len(content)))
    # Most of what determines how a file is read is at its beginning.
    if random.random() < 0.4:
        offset = min(offset, int(random.integers(1, 512)) % len(content))
    length = int(min(random.integers(1, 64), len(content) - offset))
    piece = bytes(content[offset : offset + length])
    to = int(random.integers(len(content)))
    way = random.integers(8)
    if way == 0:
        content[offset] ^= 1 << int(random.integers(8))
    elif way == 1:
        content[offset] = int(random.choice(INTERESTING))
    elif way == 2:
        del content[offset:]
    elif way == 3:
        del content[offset : offset + length]
    elif way == 4:
        content[to:to] = piece
    elif way == 5:
        content[to : to + length] = piece
    elif way == 6:
        content[offset : offset + length] = bytes(random.integers(0, 256, length, dtype=np.uint8))
    else:
        content[offset : offset + 4] = int(random.choice([0, 1, 2**31 - 1, 2**31, 2**32 - 1])).to_bytes(
            4, "little"
        )
