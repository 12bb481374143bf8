"""Four influences by least squares, against keeping the four largest, on frames that weren't fitted."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.core.profiles.least_squares_limit import limited_by_least_squares
from skinning_addon.measurement.check.scan import SceneScan
from skinning_addon.scene.clips.playback import what_plays
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes
from tests.scene.opened_rigs import open_rig


def skinned(skin, positions: np.ndarray, finals: np.ndarray) -> np.ndarray:
    """(F, V, 3), each influence a term of a sum."""
    rest = np.pad(positions.astype(np.float64), ((0, 0), (0, 1)), constant_values=1)[skin.vertex_of_influence]
    result = np.zeros((len(finals), skin.vertex_count, 3))
    for frame, final in enumerate(finals):
        moved = np.einsum("nr,nrc->nc", rest, final[skin.joints].astype(np.float64))[:, :3]
        np.add.at(result[frame], skin.vertex_of_influence, moved * skin.weights[:, None])
    return result


@pytest.mark.rigs
@pytest.mark.parametrize("rig", ["mpfb_rigify_plain.blend", "m2m_bird.blend"])
def test_frames_that_the_fit_has_not_seen(rigs_folder: Path, rig: str):
    open_rig(rigs_folder / rig)
    scene = bpy.context.scene
    (mesh,) = deformed_meshes(scene)
    playback = what_plays(scene, [one for one in scene.objects if one.type == "ARMATURE"], None)[0]
    frames = np.linspace(playback.frame_start, playback.frame_end, 25).round().tolist()
    with SceneScan(scene, [mesh], "cpu") as scan:
        samples = scan.samples([playback], lambda _: frames)
        finals = [sample.measurement.frame.passes[0].final.final for sample in samples]
        binding = scan.measured[mesh.name].binding
    seen, held_out = np.array(finals[::2]), np.array(finals[1::2])
    whole = binding.passes[0].skin.normalised()
    largest = whole.limited(4).normalised()
    fitted = limited_by_least_squares(whole, binding.mesh.positions, seen, 4)
    assert fitted.largest_count == 4
    assert fitted.weights.min() >= 0
    assert fitted.weight_sums == pytest.approx(np.ones(fitted.vertex_count), abs=1e-5)

    def off(skin, poses: np.ndarray) -> np.ndarray:
        expected = skinned(whole, binding.mesh.positions, poses)
        return np.linalg.norm(skinned(skin, binding.mesh.positions, poses) - expected, axis=2)

    by_largest, by_fit = off(largest, held_out), off(fitted, held_out)
    for name, one in (("largest", by_largest), ("least squares", by_fit)):
        print(f"{rig}, held-out frames, {name}: max {one.max():.3e}, rms {np.sqrt((one**2).mean()):.3e}")
    assert by_fit.max() < by_largest.max()
    assert (by_fit**2).mean() < (by_largest**2).mean()
    # Over the poses it was given, no vertex is worse off.
    in_fit, in_largest = ((off(skin, seen) ** 2).sum(axis=0) for skin in (fitted, largest))
    assert (in_fit <= in_largest * (1 + 1e-4) + 1e-10).all()
