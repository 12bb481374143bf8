"""How far bones are from where they were authored, against known moves and turns."""

from __future__ import annotations

import numpy as np
import pytest
from mathutils import Matrix

from skinning_addon.measurement.refit.bone_drift import drifts


@pytest.mark.parametrize("degrees", [0.0, 1e-3, 0.1, 30.0, 179.0])
def test_known_drift(degrees: float):
    authored = np.tile(np.array(Matrix.Rotation(0.7, 4, "X")).T, (3, 2, 1, 1))
    authored[:, 1, :3, :3] *= 1.5
    baked = authored.copy()
    turn = np.array(Matrix.Rotation(np.radians(degrees), 4, "Z")).T
    baked[1, 1] = authored[1, 1] @ turn
    baked[2, 1, 3, :3] += (0.3, 0.0, 0.4)
    one, other = drifts(("still", "drifting"), authored, baked)
    assert (one.bone, other.bone) == ("drifting", "still")
    assert one.distance == pytest.approx(0.5)
    assert one.degrees == pytest.approx(degrees, abs=3e-5)
    assert (other.distance, other.degrees) == (0.0, 0.0)


def test_no_bones_drift_nowhere():
    assert drifts((), np.empty((3, 0, 4, 4)), np.empty((3, 0, 4, 4))) == ()
