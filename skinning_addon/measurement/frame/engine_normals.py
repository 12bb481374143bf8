"""The normals that an engine's own shader computes, as opposed to the true ones measured everywhere else."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...core.blending.skinner import Skinner
from ...core.blending.software_skinning import SoftwareSkinner
from ...core.profiles.profile import Profile
from ...core.skinning.mesh import SourceMesh
from ...core.skinning.normals import Normals
from ...core.skinning.passes import Pass
from ...scene.binding.frame import Frame
from .posed_mesh import skinned_frames


class EngineNormals:
    """Turns the normals of one mesh by a profile's rule, frame after frame."""

    def __init__(self, profile: Profile) -> None:
        self._rule = profile.shader.normals
        self._made_for: tuple[tuple[Pass, ...], SourceMesh] | None = None
        self._skinner: SoftwareSkinner | None = None

    @property
    def are_true(self) -> bool:
        """Whether the rule is the cofactors, which `Measurement.skinned` uses already."""
        return self._rule is Normals.COFACTORS

    def of(
        self,
        frames: Sequence[Frame],
        mesh: SourceMesh,
        true: NDArray[np.float32],
        skinner: Skinner | None = None,
    ) -> NDArray[np.float32]:
        """Return the normals (F, V, 3) of frames with the same passes, mesh space. mesh: the input of the first
        pass. true: by the cofactors, likewise. skinner: of these passes and this mesh, if there is one.
        """
        if self.are_true:
            return true
        chain = frames[0].chain
        known = self._made_for
        if self._skinner is None or known is None or known[0] is not chain or known[1] is not mesh:
            self._made_for = chain, mesh
            laid_out = skinner if isinstance(skinner, SoftwareSkinner) else SoftwareSkinner(chain, mesh)
            self._skinner = laid_out.turning(self._rule)
        return skinned_frames(self._skinner, frames).normals
