"""How far the normals an engine's shader computes from those at rest lie from Blender's, in degrees."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...core.profiles.profile import Profile
from ...core.skinning.mesh import SourceMesh
from ...core.skinning.normals import degrees_between
from ...core.skinning.skeleton import invert_affine
from ..frame.engine_normals import EngineNormals
from ..frame.sample import Sample
from ..frame.worst_frame import NormalDeviation


class NormalTrack:
    """Follows the normals of a mesh under an engine's profile."""

    def __init__(self, profile: Profile) -> None:
        self._engine = EngineNormals(profile)
        self.worst: NormalDeviation | None = None

    def add(self, sample: Sample, mesh: SourceMesh) -> None:
        """Take a sample into account. mesh: the input of the first pass."""
        measurement = sample.measurement
        to_world = invert_affine(measurement.frame.mesh_to_world[None])[0][0, :3, :3].T
        engine = self._engine.at(measurement, mesh) @ to_world
        off = degrees_between(engine, measurement.blender.normals @ to_world)
        by_rule = float(degrees_between(engine, measurement.skinned.normals @ to_world).max(initial=0.0))
        mean = _over_surface(off, measurement.deviation.area)
        before = self.worst
        if before is not None and mean <= before.mean:
            self.worst = replace(before, by_rule=max(by_rule, before.by_rule))
            return
        here = NormalDeviation(
            max=float(off.max(initial=0.0)),
            p99=float(np.percentile(off, 99)) if off.size else 0.0,
            mean=mean,
            by_rule=by_rule,
            clip=sample.playback.name,
            frame=sample.frame,
        )
        self.worst = worse_normals(before, here)


def worse_normals(before: NormalDeviation | None, later: NormalDeviation | None) -> NormalDeviation | None:
    """Return the worst of some frames and later ones, which have to be further off on average to count."""
    if before is None or later is None:
        return before or later
    worse = before if later.mean <= before.mean else later
    return replace(worse, by_rule=max(before.by_rule, later.by_rule))


def _over_surface(values: NDArray[np.float64], area: NDArray[np.float64]) -> float:
    """Return the mean of values (V,) over a surface; over the vertices if there are no faces."""
    total = float(area.sum())
    return float(values @ area) / total if total > 0 else float(values.mean()) if values.size else 0.0
