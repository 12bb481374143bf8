"""How far the normals an engine's shader computes from those at rest lie from Blender's, in degrees."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...core.profiles.profile import Profile
from ...core.skinning.normals import degrees_between
from ...core.skinning.skeleton import invert_affine
from ..frame.engine_normals import EngineNormals
from ..frame.sample import SampleRun
from ..frame.worst_frame import NormalDeviation


class NormalTrack:
    """Follows the normals of a mesh under an engine's profile."""

    def __init__(self, profile: Profile) -> None:
        self._engine = EngineNormals(profile)
        self.worst: NormalDeviation | None = None

    def add(self, run: SampleRun) -> None:
        """Take samples into account."""
        measured = run.measured
        to_world = invert_affine(measured.mesh_to_world)[0][:, :3, :3].swapaxes(1, 2)
        engine = self._engine.of(measured.frames, measured.binding.mesh, measured.skinned.normals) @ to_world
        blender = np.array([one.normals for one in measured.blender])
        off = degrees_between(engine, blender @ to_world)
        by_rule = float(degrees_between(engine, measured.skinned.normals @ to_world).max(initial=0.0))
        for index, of_frame in enumerate(off):
            mean = _over_surface(of_frame, measured.deviations.area)
            before = self.worst
            if before is not None and mean <= before.mean:
                continue
            here = NormalDeviation(
                max=float(of_frame.max(initial=0.0)),
                p99=float(np.percentile(of_frame, 99)) if of_frame.size else 0.0,
                mean=mean,
                by_rule=by_rule,
                clip=run.playback.name,
                frame=run.frames[index],
            )
            self.worst = worse_normals(before, here)
        if self.worst is not None:
            self.worst = replace(self.worst, by_rule=max(by_rule, self.worst.by_rule))


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
