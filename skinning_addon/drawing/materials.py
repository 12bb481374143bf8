"""Materials as the base colour display shows them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import gpu
import numpy as np
from numpy.typing import NDArray

from .float_texture import float_texture
from .uniform_block import UniformBlock


@dataclass(frozen=True, eq=False)
class MaterialLook:
    """color: linear Rec.709. texture: multiplied by it, and linear when sampled, as made by
    `gpu.texture.from_image`.
    """

    color: tuple[float, float, float]
    texture: gpu.types.GPUTexture | None = None


class MaterialRanges:
    """The triangles of each material, drawn material by material. Owns each one's shader data.

    starts: (M + 1,), material m has the triangles starts[m] to starts[m + 1].
    """

    def __init__(self, starts: NDArray[np.integer]) -> None:
        self._starts: list[int] = starts.tolist()
        self._looks: tuple[MaterialLook, ...] = ()
        self._blocks = [UniformBlock("materialLook", 1) for _ in starts[1:]]
        self._white: gpu.types.GPUTexture | None = float_texture(np.ones((1, 1, 4), dtype=np.float32))

    def set(self, looks: Sequence[MaterialLook]) -> None:
        """Set the looks of the materials, in order."""
        self._looks = tuple(looks)

    def draw(
        self,
        batch: gpu.types.GPUBatch,
        shader: gpu.types.GPUShader,
        base_color: tuple[float, float, float],
    ) -> None:
        """Draw `batch` with `shader`, which must be bound; base_color: for materials without a look."""
        for start, end in self.bound(shader, base_color):
            batch.draw_range(shader, elem_start=3 * start, elem_count=3 * (end - start))

    def bound(
        self, shader: gpu.types.GPUShader, base_color: tuple[float, float, float]
    ) -> Iterator[tuple[int, int]]:
        """Give `shader` one look after the other; yield the range of triangles to draw with it.

        base_color: for materials without a look.
        """
        for number, block in enumerate(self._blocks):
            start, end = self._starts[number : number + 2]
            if start == end:
                continue
            look = self._looks[number] if number < len(self._looks) else MaterialLook(base_color)
            block.update(np.array([(*look.color[:3], 1.0)], dtype=np.float32))
            block.bind(shader)
            shader.uniform_sampler("baseTexture", look.texture or self._white)
            yield start, end

    def free(self) -> None:
        """Give the GPU's memory back."""
        for block in self._blocks:
            block.free()
        self._looks = ()
        self._white = None
