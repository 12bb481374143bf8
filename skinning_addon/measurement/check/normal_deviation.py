"""How far the normals an engine's shader computes from those at rest lie from Blender's, in degrees."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...core.maths.percentiles import percentile
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
        skinned, mesh = measured.skinned, measured.binding.mesh
        engine = self._engine.of(measured.frames, mesh, skinned.normals, measured.skinner) @ to_world
        blender = np.array([one.normals for one in measured.blender])
        off = degrees_between(engine, blender @ to_world)
        by_rule = float(degrees_between(engine, skinned.normals @ to_world).max(initial=0.0))
        worst: tuple[int, float] | None = None
        most = None if self.worst is None else self.worst.mean
        for index, mean in enumerate(_over_surface(off, measured.deviations.area)):
            if most is None or not mean <= most:
                worst, most = (index, mean), mean
        if worst is not None:
            index, mean = worst
            here = NormalDeviation(
                max=float(off[index].max(initial=0.0)),
                p99=percentile(off[index], 99),
                mean=mean,
                by_rule=by_rule,
                clip=run.playback.name,
                frame=run.frames[index],
            )
            self.worst = worse_normals(self.worst, here)
        if self.worst is not None:
            self.worst = replace(self.worst, by_rule=max(by_rule, self.worst.by_rule))


def worse_normals(before: NormalDeviation | None, later: NormalDeviation | None) -> NormalDeviation | None:
    """Return the worst of some frames and later ones, which have to be further off on average to count."""
    if before is None or later is None:
        return before or later
    worse = before if later.mean <= before.mean else later
    return replace(worse, by_rule=max(before.by_rule, later.by_rule))


def _over_surface(values: NDArray[np.float64], area: NDArray[np.float64]) -> list[float]:
    """Return the mean of values (F, V) over a surface at each frame; over the vertices without faces."""
    total = float(area.sum())
    if total > 0:
        # Not `@`, whose sums are spread over threads that wait for each other far longer than they add.
        return [float(one) / total for one in np.einsum("fv,v->f", values, area)]
    return [float(one.mean()) if one.size else 0.0 for one in values]
