"""Skinning on the CPU: the same sums as in the shaders, for any number of influences and passes.

A pass that starts from the rest positions, as the first always does, takes a faster path if only positions
are needed (`SoftwareSkinner.skin_positions`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..maths.vectors import unit_length
from ..skinning.mesh import SourceMesh
from ..skinning.normals import Normals
from ..skinning.palette import Palette
from ..skinning.passes import Pass, PassInput
from .blend_palette import AnyPalette
from .dense_blocks import DenseBlocks
from .dual_quaternion import DualQuaternionPalette
from .dual_quaternion_blending import dual_quaternion_positions, dual_quaternion_vertices
from .linear_blending import linear_frames, linear_positions, linear_vertices
from .pass_layout import PassLayout
from .volume_blending import volume_positions, volume_vertices
from .volume_palette import VolumePalette


@dataclass(frozen=True, eq=False)
class SkinnedVertices:
    """positions, normals: (V, 3) float32, mesh space."""

    positions: NDArray[np.float32]
    normals: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class SkinnedFrames:
    """positions, normals: (F, V, 3) float32, mesh space, at F frames; normals (0, V, 3) if left out."""

    positions: NDArray[np.float32]
    normals: NDArray[np.float32]


Skinned = TypeVar("Skinned")


class SoftwareSkinner:
    """Runs a chain of passes on the CPU; keeps what does not depend on the pose."""

    technique = "software"
    device = "cpu"

    def __init__(
        self,
        passes: tuple[Pass, ...],
        mesh: SourceMesh,
        normals: Normals = Normals.COFACTORS,
        layouts: tuple[PassLayout, ...] | None = None,
    ) -> None:
        """normals: how to turn them if joints are blended linearly. layouts: of the passes, if known."""
        self._passes, self._mesh, self._rule = passes, mesh, normals
        self._skinned_vertices = partial(_skinned_vertices, rule=normals)
        self._rest = SkinnedVertices(mesh.positions, mesh.normals)
        self._layouts: tuple[PassLayout, ...] = layouts or tuple(
            PassLayout(one.skin, mesh.positions) for one in passes
        )

    def turning(self, normals: Normals) -> SoftwareSkinner:
        """Return a skinner of the same mesh, laid out once for both, that turns normals by another rule."""
        return SoftwareSkinner(self._passes, self._mesh, normals, self._layouts)

    def moved(self, mesh: SourceMesh) -> SoftwareSkinner:
        """Return a skinner of the mesh with its vertices elsewhere; weights are laid out once for both."""
        layouts = tuple(one.moved(mesh.positions) for one in self._layouts)
        return SoftwareSkinner(self._passes, mesh, self._rule, layouts)

    def skin(self, palettes: tuple[AnyPalette, ...]) -> SkinnedVertices:
        """Skin the mesh, with one palette per pass, in order."""
        return self._run(palettes, self._rest, self._skinned_vertices, _between_vertices)

    def skin_positions(self, palettes: tuple[AnyPalette, ...]) -> NDArray[np.float32]:
        """Skin positions only, (V, 3) float32, in a third of the time of `skin`."""
        return self._run(palettes, self._rest.positions, _skinned_positions, masked_positions)

    def skin_frames(
        self, palettes: Sequence[tuple[AnyPalette, ...]], *, with_normals: bool = True
    ) -> SkinnedFrames:
        """Skin the mesh at several frames, with one palette per pass for each; bit for bit as `skin` does, but
        at once if there is one linear pass, which takes a fraction of the time if the mesh is small.
        """
        linear = [one for passes in palettes for one in passes if isinstance(one, Palette)]
        if self.is_plain and len(linear) == len(palettes):
            return self.skin_matrices(np.array([one.final for one in linear]), with_normals=with_normals)
        return _stacked([self.skin(one) for one in palettes], with_normals=with_normals)

    @property
    def is_plain(self) -> bool:
        """Whether one pass without a mask is all there is: linear palettes can be given as matrices."""
        return len(self._passes) == 1 and self._passes[0].amount is None

    def skin_matrices(self, final: NDArray[np.float32], *, with_normals: bool = True) -> SkinnedFrames:
        """Skin a plain mesh at several frames, given its linear palettes as one array, (F, J, 4, 4)."""
        rest, layout = self._rest, self._layouts[0]
        blocks = layout.suited_to(final) if rest.positions.size else None
        if isinstance(blocks, DenseBlocks):
            normals = rest.normals if with_normals else None
            return SkinnedFrames(*linear_frames(layout, blocks, final, (rest.positions, normals), self._rule))
        return _stacked([self.skin((Palette(one),)) for one in final], with_normals=with_normals)

    def free(self) -> None:
        """Free the layouts' memory, about 100 bytes per vertex."""
        self._layouts = ()

    def _run(
        self,
        palettes: tuple[AnyPalette, ...],
        rest: Skinned,
        skinned_by: Callable[[PassLayout, AnyPalette, Skinned], Skinned],
        between: Callable[[Skinned, Skinned, NDArray[np.float32]], Skinned],
    ) -> Skinned:
        run_start = current = rest
        for one, layout, palette in zip(self._passes, self._layouts, palettes, strict=True):
            if one.input is PassInput.PREVIOUS:
                run_start = current
            skinned = skinned_by(layout, palette, run_start)
            current = skinned if one.amount is None else between(current, skinned, one.amount)
        return current


def _stacked(skinned: Sequence[SkinnedVertices], *, with_normals: bool) -> SkinnedFrames:
    positions = np.array([one.positions for one in skinned])
    if not with_normals:
        return SkinnedFrames(positions, np.empty((0, *positions.shape[1:]), dtype=np.float32))
    return SkinnedFrames(positions, np.array([one.normals for one in skinned]))


def _skinned_positions(
    layout: PassLayout, palette: AnyPalette, before: NDArray[np.float32]
) -> NDArray[np.float32]:
    if isinstance(palette, VolumePalette):
        return volume_positions(layout, palette, before)
    if isinstance(palette, DualQuaternionPalette):
        return dual_quaternion_positions(layout, palette, before)
    return linear_positions(layout, palette, before)


def _skinned_vertices(
    layout: PassLayout, palette: AnyPalette, before: SkinnedVertices, rule: Normals
) -> SkinnedVertices:
    if isinstance(palette, VolumePalette):
        return SkinnedVertices(*volume_vertices(layout, palette, before.positions, before.normals))
    if isinstance(palette, DualQuaternionPalette):
        return SkinnedVertices(*dual_quaternion_vertices(layout, palette, before.positions, before.normals))
    return SkinnedVertices(*linear_vertices(layout, palette, before.positions, before.normals, rule))


def masked_positions(
    before: NDArray[np.float32], after: NDArray[np.float32], amount: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Apply a pass's amount (V,) to positions (V, 3): before + amount * (after - before)."""
    return np.asarray(before + amount[:, None] * (after - before), dtype=np.float32)


def _between_vertices(
    before: SkinnedVertices, after: SkinnedVertices, amount: NDArray[np.float32]
) -> SkinnedVertices:
    normals = masked_positions(before.normals, after.normals, amount)
    return SkinnedVertices(
        masked_positions(before.positions, after.positions, amount),
        np.ascontiguousarray(unit_length(normals.T, after.normals.T).T),
    )
