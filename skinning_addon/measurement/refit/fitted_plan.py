"""A fit as the plan that a copy is made from."""

from __future__ import annotations

import numpy as np

from ...scene.refit.plain_plan import PlainPlan
from .refit import Refit


def fitted_plan(fit: Refit) -> PlainPlan:
    """Return the plan of a fit, with what its bones lose of shear."""
    sheared = dict(fit.sheared)
    errors = np.array([sheared.get(bone.name, 0.0) for bone in fit.plan.bones])
    return PlainPlan(fit.plan, errors, sum(mesh.fitted for mesh in fit.meshes))
