"""The normals that an engine's own shader computes, as opposed to the true ones measured everywhere else."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...core.blending.software_skinning import SoftwareSkinner
from ...core.profiles.profile import Profile
from ...core.skinning.mesh import SourceMesh
from ...core.skinning.normals import Normals
from ...core.skinning.passes import Pass
from .mesh_measurement import Measurement


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

    def at(self, measurement: Measurement, mesh: SourceMesh) -> NDArray[np.float32]:
        """Return the normals (V, 3) of a frame, mesh space. mesh: the input of the first pass."""
        if self.are_true:
            return measurement.skinned.normals
        chain = measurement.frame.chain
        known = self._made_for
        if self._skinner is None or known is None or known[0] is not chain or known[1] is not mesh:
            self._made_for, self._skinner = (chain, mesh), SoftwareSkinner(chain, mesh, self._rule)
        return self._skinner.skin(measurement.frame.palettes).normals
