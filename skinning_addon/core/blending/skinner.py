"""What skins a mesh, on whatever device and by whatever technique."""

from __future__ import annotations

from typing import Protocol

from .blend_palette import AnyPalette
from .software_skinning import SkinnedVertices


class Skinner(Protocol):
    """Skins one mesh with one palette a pass: `SoftwareSkinner`, and what the drawing layer makes of the GPU.

    device: 'gpu' or 'cpu'. technique: how, in words, such as 'uniform buffer'.
    """

    @property
    def device(self) -> str: ...

    @property
    def technique(self) -> str: ...

    def skin(self, palettes: tuple[AnyPalette, ...]) -> SkinnedVertices:
        """Return skinned positions and normals in mesh space, in the mesh's order of vertices."""
        ...

    def free(self) -> None:
        """Give back what the device holds; the skinner can't be used afterwards."""
        ...
