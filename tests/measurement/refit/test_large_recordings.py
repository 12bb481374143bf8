"""Recordings that memory does not hold: the same copies, from files."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from skinning_addon.core.maths import scratch
from skinning_addon.core.refit.kind import Kind
from skinning_addon.measurement.refit import recording
from skinning_addon.measurement.refit.refit import Refit
from tests.measurement.refit.keyed_limb import refitted
from tests.measurement.refit.test_baked_fit import belly


@pytest.mark.arithmetic
@pytest.mark.parametrize("kind", list(Kind))
def test_a_copy_is_the_same_to_the_last_bit(kind: Kind, monkeypatch: pytest.MonkeyPatch):
    kept: list[recording.RecordedMesh] = []
    take = recording.RecordedMesh

    def noting(*given: object) -> recording.RecordedMesh:
        kept.append(take(*given))
        return kept[-1]

    monkeypatch.setattr(recording, "RecordedMesh", noting)

    def fitted() -> Refit:
        bpy.ops.wm.read_homefile(use_empty=True)
        return refitted(belly(), "threejs", helper_bones=4, kind=kind)

    before = fitted()
    monkeypatch.setattr(scratch, "IN_MEMORY", 0)
    monkeypatch.setattr(scratch, "BLOCK", 20_000)
    after = fitted()
    in_memory, in_files = kept
    for one, in_file in ((in_memory, False), (in_files, True)):
        assert isinstance(one.positions, np.memmap) == in_file
        assert isinstance(one.to_root, np.memmap) == in_file
    assert np.array_equal(in_memory.positions, in_files.positions)
    for one, other in zip(before.plan.meshes, after.plan.meshes, strict=True):
        assert one.weights.tobytes() == other.weights.tobytes()
        assert np.array_equal(one.joints, other.joints)
    for name, told in before.meshes[0].held_out.items():
        again = after.meshes[0].held_out[name]
        assert (again.largest, again.nearly_all) == (told.largest, told.nearly_all)
        # Its squares are added up in blocks.
        assert again.root_mean_square == pytest.approx(told.root_mean_square, rel=1e-12)
