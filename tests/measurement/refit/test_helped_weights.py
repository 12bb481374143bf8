"""Which vertices may follow helper bones."""

from __future__ import annotations

import numpy as np

from skinning_addon.core.refit.alike import Alike
from skinning_addon.core.refit.candidates import candidates
from skinning_addon.core.refit.mirroring import Twins
from skinning_addon.measurement.refit.helped_weights import MeshFit
from tests.core.refit.limb import chain, sparse, turns, wanted_of

FRAMES = 4


def test_the_other_hand_may_follow_helpers_though_only_one_closes():
    """Vertices 0 and 1 are each other's mirror image, and 0 alone is off; 2 and 3 are by themselves."""
    rest = np.array([[1.0, 0, 0], [-1, 0, 0], [0, 1, 0], [0, 2, 0]])
    finals = turns(1, FRAMES)
    wanted = wanted_of(rest, np.tile(rest, (FRAMES, 1, 1)), finals)
    skin = sparse(np.array([[0.0, 1.0]] * 4))
    after = np.zeros((4, FRAMES), dtype=np.float32)
    after[0, 1], after[2, 2] = 0.5, 0.25
    after[3, 3] = 0.5
    alike = Alike(np.arange(4), Twins(np.array([0]), np.array([1])))
    fit = MeshFit(wanted, chain(4), skin, candidates(skin, chain(4)), skin, after, alike, 4, True)
    held_out = np.array([False, False, False, True])
    assert fit.off(held_out).tolist() == [0.5, 0.5, 0.25, 0.0], "what is held out may not be seen"
