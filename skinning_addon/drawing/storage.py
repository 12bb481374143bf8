"""The storage of a draw call's palette and influences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .palette_buffer import PaletteBuffer, TexturePalette, UniformPalette, palette_buffer
from .palette_rows import PaletteLayout


@dataclass(frozen=True)
class Storage:
    """palette: creates the palette's storage. indexed: whether a vertex stores joint indices.

    Without indices a draw call has four matrices, and a vertex stores a weight for each.
    """

    palette: Callable[[PaletteLayout], PaletteBuffer] = palette_buffer
    indexed: bool = True


AUTOMATIC_STORAGE = Storage()
UNIFORM_BUFFER = Storage(UniformPalette)
FLOAT_TEXTURE = Storage(TexturePalette)
FOUR_MATRICES = Storage(UniformPalette, indexed=False)
