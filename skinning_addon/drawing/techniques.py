"""Engines' historical ways to skin a mesh, side by side: each is a row of one table.

The DirectX SDK's SkinnedMesh sample shows five. Its assembly and HLSL versions are one here: they differ only
in language, and Blender only takes GLSL.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..core.blending.skinner import Skinner
from ..core.blending.software_skinning import SoftwareSkinner
from ..core.skinning.mesh import DrawMesh, SourceMesh
from ..core.text.errors import UsageError
from .chain_cache import ChainCache
from .draw_call import DrawCall
from .normal_policy import NormalPolicy
from .partitioned_probe import four_matrices, partitioned
from .probe import GpuSkinner
from .storage import AUTOMATIC_STORAGE, FLOAT_TEXTURE, FOUR_MATRICES, UNIFORM_BUFFER
from .technique_draw_calls import group_draw_calls, software_draw_call, whole_draw_call


@dataclass(frozen=True)
class Technique:
    """name: for settings and options. label: for menus, in title case. description: one line.

    probe: creates the skinner, from (cache of the chain, mesh, limit). draw_calls: creates those for
    `SkinnedDrawing`, from (cache of the chain, mesh, draw mesh, limit). limit: the most joints per group, if
    there are groups.

    Not every technique works for every chain of passes; they raise BindingError if it does not.
    """

    name: str
    label: str
    description: str
    probe: Callable[[ChainCache, SourceMesh, int], Skinner]
    draw_calls: Callable[[ChainCache, SourceMesh, DrawMesh, int], tuple[DrawCall, ...]]


AUTOMATIC_TECHNIQUE = "automatic"
PARTITIONED = "partitioned"
FOUR_MATRIX_GROUPS = "four-matrices"

MATRICES = 4
"""The number of matrices in a draw call without indices."""

TECHNIQUES = (
    Technique(
        AUTOMATIC_TECHNIQUE,
        "Automatic",
        "A uniform buffer if all joints fit into one, otherwise a float texture",
        lambda cache, mesh, _limit: GpuSkinner(cache.passes, mesh, NormalPolicy.COFACTOR),
        lambda cache, mesh, drawn, _limit: whole_draw_call(cache, mesh, drawn),
    ),
    Technique(
        "uniform-buffer",
        "Uniform Buffer",
        "All joints in one uniform buffer, up to 341; four or eight indices and weights per vertex",
        lambda cache, mesh, _limit: GpuSkinner(cache.passes, mesh, NormalPolicy.COFACTOR, UNIFORM_BUFFER),
        lambda cache, mesh, drawn, _limit: whole_draw_call(cache, mesh, drawn, UNIFORM_BUFFER),
    ),
    Technique(
        "float-texture",
        "Float Texture",
        "All joints in a float texture, without a limit, as in three.js and PlayCanvas",
        lambda cache, mesh, _limit: GpuSkinner(cache.passes, mesh, NormalPolicy.COFACTOR, FLOAT_TEXTURE),
        lambda cache, mesh, drawn, _limit: whole_draw_call(cache, mesh, drawn, FLOAT_TEXTURE),
    ),
    Technique(
        PARTITIONED,
        "Partitioned Palettes",
        "The mesh split into groups of faces that each use only a few joints, drawn one after another",
        partitioned,
        lambda cache, mesh, drawn, limit: group_draw_calls(cache, mesh, drawn, limit, AUTOMATIC_STORAGE),
    ),
    Technique(
        FOUR_MATRIX_GROUPS,
        "Four Matrices",
        "Groups of four joints without indices: each vertex stores three weights, and the last one is "
        "implied",
        lambda cache, mesh, _limit: four_matrices(cache, mesh),
        lambda cache, mesh, drawn, _limit: group_draw_calls(cache, mesh, drawn, MATRICES, FOUR_MATRICES),
    ),
    Technique(
        "software",
        "Software",
        "The CPU skins every frame, and the GPU only draws",
        lambda cache, mesh, _limit: SoftwareSkinner(cache.passes, mesh),
        lambda cache, mesh, drawn, _limit: software_draw_call(cache, mesh, drawn),
    ),
)


@dataclass(frozen=True)
class TechniqueChoice:
    """A technique by name. limit: the most joints per group, for the one that cuts a mesh up to fit."""

    name: str = AUTOMATIC_TECHNIQUE
    limit: int = 60

    @property
    def technique(self) -> Technique:
        """The technique itself."""
        return find_technique(self.name)

    def draws_as(self, other: TechniqueChoice) -> bool:
        """Tell whether both draw the same: the limit only matters for one technique."""
        return self.name == other.name and (self.name != PARTITIONED or self.limit == other.limit)


def group_limit(choice: TechniqueChoice) -> int | None:
    """Return the most joints per draw call; None if the mesh is not cut up."""
    return {PARTITIONED: choice.limit, FOUR_MATRIX_GROUPS: MATRICES}.get(choice.name)


def find_technique(name: str) -> Technique:
    """Return the technique with this name.

    Raises:
        UsageError: it does not exist.
    """
    for one in TECHNIQUES:
        if one.name == name:
            return one
    raise UsageError(
        "'{name}' is not a technique; choose one of {names}.",
        name=name,
        names=", ".join(one.name for one in TECHNIQUES),
    )
