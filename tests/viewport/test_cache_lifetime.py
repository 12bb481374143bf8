"""Data computed from a binding is released with it."""

from __future__ import annotations

import gc
import weakref

import numpy as np

from skinning_addon.core.groups.draw_groups import shared_draw_groups
from skinning_addon.core.skinning.joints import Joints
from skinning_addon.core.skinning.passes import Pass
from skinning_addon.drawing.normal_policy import shared_gradient
from tests.core.builders import mesh_of, skeleton_of, skin_of


def test_gradients_and_groups_end_with_the_pass_that_they_were_computed_from() -> None:
    mesh = mesh_of([(0, 0, 0), (1, 0, 0), (0, 1, 0)])
    joints = Joints.of_bones(skeleton_of([-1]), [0], np.eye(4))
    one = Pass(skin_of([[(1, 1.0)]] * 3), joints, "Rig")
    kept = [weakref.ref(shared_gradient((one,), mesh)), weakref.ref(shared_draw_groups((one,), mesh, 4))]
    gc.collect()
    assert all(each() is not None for each in kept)
    del one
    gc.collect()
    assert all(each() is None for each in kept)
