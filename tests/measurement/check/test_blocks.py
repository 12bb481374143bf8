"""A check in blocks, each measured apart and carried over as bytes: its report is that of a check in one piece."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.profiles.profile import BLENDER
from skinning_addon.core.verdicts.deviation_track import DeviationTrack
from skinning_addon.measurement.check.block_measuring import BlockMeasuring
from skinning_addon.measurement.check.check import check_scene
from skinning_addon.measurement.check.check_settings import CheckSettings
from skinning_addon.measurement.check.frame_blocks import Block, blocks_of
from skinning_addon.measurement.check.frame_choice import FrameChoice, spread_over_clip
from skinning_addon.measurement.check.report import FileReport
from skinning_addon.measurement.check.scan_state import ScanState
from skinning_addon.scene.clips.playback import ScenePlayback
from skinning_addon.scene.files import open_file
from tests.command_line.rig_files import rig_file
from tests.scene.opened_rigs import is_readable
from tests.scene.random_rig import RandomRig, RigOptions

PROFILES = (BLENDER, load_profile("threejs"), load_profile("unity-2"))


@dataclass
class InPieces:
    """Measures each block as another process would: some with their losses, all as bytes."""

    most: int
    blocks: int = 0

    def run(self, blocks: list[Block], measuring: BlockMeasuring) -> list[ScanState]:
        self.blocks = len(blocks)
        states = []
        for number in range(len(blocks)):
            state = measuring.state(number)
            states.append(pickle.loads(pickle.dumps(state)))  # noqa: S301 - our own
        return states


def checked(path: Path, settings: CheckSettings, most: int) -> tuple[FileReport, int]:
    open_file(str(path))
    sharing = InPieces(most)
    return check_scene(bpy.context.scene, "rig", settings, sharing=sharing), sharing.blocks


def with_two_clips(rig: RandomRig) -> None:
    action = rig.armature.animation_data.action
    other = action.copy()
    other.name = "Another"
    for one in (action, other):
        track = rig.armature.animation_data.nla_tracks.new()
        track.name = one.name
        track.strips.new(one.name, 1, one)


@pytest.mark.parametrize("most", [2, 3, 7])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_report_is_the_same(tmp_path: Path, seed: int, most: int, monkeypatch: pytest.MonkeyPatch):
    from skinning_addon.measurement.check import frame_blocks

    monkeypatch.setattr(frame_blocks, "FEWEST_FRAMES", 2)
    path = rig_file(tmp_path / "rig.blend", RigOptions(seed=seed, influences=6), with_two_clips)
    settings = CheckSettings("cpu", ("all",), FrameChoice(1, 9, 0.5).frames_of, profiles=PROFILES)
    whole, _ = checked(path, settings, 1)
    pieces, blocks = checked(path, settings, most)
    assert 1 < blocks <= most
    assert pieces == whole
    assert whole.findings


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_how_many_frames_are_skinned_at_once_changes_nothing(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
):
    from skinning_addon.measurement.check import pending_runs

    def switched_off_in_between(rig: RandomRig) -> None:
        with_two_clips(rig)
        modifier = next(one for one in rig.mesh.modifiers if one.type == "ARMATURE")
        for frame, off in ((1, False), (4, True), (6, False)):
            modifier.use_deform_preserve_volume = off
            modifier.keyframe_insert("use_deform_preserve_volume", frame=frame)

    path = rig_file(tmp_path / "rig.blend", RigOptions(seed=seed, influences=6), switched_off_in_between)
    settings = CheckSettings("cpu", ("all",), FrameChoice(1, 9, 0.5).frames_of, profiles=PROFILES)
    reports = []
    for most in (1, 3, pending_runs.MOST_FRAMES):
        monkeypatch.setattr(pending_runs, "MOST_FRAMES", most)
        reports.append(checked(path, settings, 1)[0])
    assert reports[0] == reports[1] == reports[2]
    assert reports[0].findings


@pytest.mark.rigs
@pytest.mark.parametrize(
    "name", ["m2m_bird.blend", "CesiumMan.glb", "raylib_robot.blend", "mpfb_rigify_plain.blend", "Fox.glb"]
)
def test_the_report_on_a_real_character_is_the_same(rigs_folder: Path, name: str):
    if not is_readable(name):
        pytest.skip("saved by a newer Blender than this one")
    settings = CheckSettings("cpu", ("all",), FrameChoice(0, 24, 3).frames_of, profiles=PROFILES[1:])
    whole, _ = checked(rigs_folder / name, settings, 1)
    pieces, blocks = checked(rigs_folder / name, settings, 5)
    assert pieces == whole
    assert blocks > 1 or name == "CesiumMan.glb"


@cache
def playback(name: str) -> ScenePlayback:
    return ScenePlayback(name, 1.0, 9.0)


def frames_of_all(blocks: list[Block]) -> list[tuple[str, float]]:
    return [(one.name, frame) for block in blocks for one, frames in block.parts for frame in frames]


@pytest.mark.parametrize("most", [1, 2, 5, 64])
@pytest.mark.parametrize("counts", [(50,), (9, 9, 9), (100, 3, 40), (1, 1, 1), (8,) * 76])
def test_blocks_hold_every_frame_once_in_order(counts: tuple[int, ...], most: int):
    chosen = [playback(str(number)) for number in range(len(counts))]
    lengths = dict(zip(chosen, counts, strict=True))
    blocks = blocks_of(chosen, lambda one: range(lengths[one]), most)
    assert frames_of_all(blocks) == [(one.name, frame) for one in chosen for frame in range(lengths[one])]
    assert 1 <= len(blocks) <= most
    assert [one for block in blocks for one in block.begun] == chosen
    longest = max(sum(len(frames) for _, frames in one.parts) for one in blocks)
    assert longest <= max(8, -(-sum(counts) // most)) * 1.5 + 8


def test_no_clips_are_one_empty_block():
    assert blocks_of([], spread_over_clip, 8) == [Block((), ())]


@pytest.mark.parametrize("cut", range(1, 12))
def test_runs_and_pops_go_on_across_the_joint(cut: int):
    """Against the same track in one piece: off in frames 3 to 5 and 7 to 9 of one clip, and all of the next."""
    rng = np.random.default_rng(4)
    offsets = rng.normal(size=(12, 4, 3)).astype(np.float32) * 0.01
    off = [2, 3, 4, 6, 7, 8, 9, 10, 11]
    offsets[off, 1] += 1
    clips = ["Walk"] * 9 + ["Run"] * 3

    def track(frames: range) -> DeviationTrack:
        one = DeviationTrack(np.full(4, 0.5))
        for frame in frames:
            one.add(offsets[frame][:, None], clips[frame], (float(frame),))
        return one

    whole, first, second = track(range(12)), track(range(cut)), track(range(cut, 12))
    assert first.edges is not None
    assert second.edges is not None
    edges, run, pop = first.edges.joined(second.edges)
    assert max(first.run, second.run, run) == whole.run
    assert max(first.pop, second.pop, pop) == whole.pop
    assert whole.edges is not None
    assert (edges.leading, edges.trailing) == (whole.edges.leading, whole.edges.trailing)
