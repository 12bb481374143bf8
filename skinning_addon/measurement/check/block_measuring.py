"""Measures the blocks of a check, in this process or in several."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ...scene.staging.clip_staging import Scanned
from ..findings.playback_losses import PlaybackLosses
from ..frame.sample import SampleRun
from .causes import Attributions, StackMeasurements
from .check_settings import CheckSettings
from .frame_blocks import Block
from .lost_motion import measure_losses
from .pending_runs import PendingRuns
from .scan import SceneScan
from .scan_state import ScanState
from .worst_frames import WorstFrames

POSED = 1e-5
"""Relative to a mesh's size; movements of vertices below this are rounding."""

Progress = Callable[[int, int], None]
"""Called with the number of frames done, and the total."""


class Sharing(Protocol):
    """Who measures the blocks. most: how many there may be."""

    @property
    def most(self) -> int: ...

    def run(self, blocks: Sequence[Block], measuring: BlockMeasuring) -> list[ScanState]:
        """Return what came of each block, whoever has measured it."""
        ...


class Alone:
    """All is measured by this process, as one block."""

    most = 1

    def run(self, blocks: Sequence[Block], measuring: BlockMeasuring) -> list[ScanState]:
        """Measure one block after the other."""
        return [measuring.state(number) for number in range(len(blocks))]


@dataclass(frozen=True)
class Followers:
    """What takes the samples of a check."""

    worst: WorstFrames
    attributions: Attributions
    stacks: StackMeasurements


class BlockMeasuring:
    """Measures blocks of an open scene. posed: meshes that bones have moved, in any process.

    The last block has to be measured here, and last: what is found afterwards is about the scene as it is then.
    """

    def __init__(
        self,
        scan: SceneScan,
        followers: Followers,
        blocks: Sequence[Block],
        settings: CheckSettings,
        progress: Progress | None,
    ) -> None:
        self._scan, self._followers = scan, followers
        self._blocks, self._settings, self._progress = blocks, settings, progress
        self._seen: set[tuple[str, float]] = set()
        self.posed: frozenset[str] = frozenset()

    def state(self, number: int) -> ScanState:
        """Measure a block."""
        posed: set[str] = set()
        for run in self._runs(self._blocks[number]):
            if run.mesh not in posed and _is_posed(run):
                posed.add(run.mesh)
            self._followers.worst.add(run)
            self._followers.attributions.add(run)
        subjects = [
            (name, one.profile.id) for measured in self._scan.by_profile for name, one in measured.items()
        ]
        reasons = {
            (name, one.profile.id): one.reasons
            for measured in self._scan.by_profile
            for name, one in measured.items()
        }
        return ScanState(
            self._followers.worst.take(subjects),
            self._followers.attributions.take(),
            self._followers.stacks.take(),
            frozenset(posed),
            dict(self._scan.refused),
            reasons,
        )

    def losses(self, number: int, state: ScanState | None = None) -> PlaybackLosses:
        """Return what files lack of the clips that begin in a block; measured here, by playing the scene,
        unless its state has it.
        """
        if state is not None and state.losses is not None:
            return state.losses
        settings = self._settings
        return measure_losses(self._scan, settings.profiles, self._blocks[number].begun, settings.frames_of)

    def put(self, state: ScanState) -> None:
        """Take what came of all blocks for what was measured here."""
        self._scan.refused |= state.refused
        self._followers.worst.put(state.followed)
        self._followers.attributions.put(state.attributed)
        self._followers.stacks.put(state.stacks)
        self.posed = state.posed
        for (name, profile_id), reasons in state.reasons.items():
            self._scan.subject(name, profile_id).note(reasons)

    def _runs(self, block: Block) -> Iterator[SampleRun]:
        """Play a block and yield every mesh under every profile, some frames at a time."""
        pending = PendingRuns(self._scan, self._followers.attributions)
        for moment, (playback, frame) in enumerate(self._scan.instants(block.playbacks, block.frames_of)):
            if not pending.is_of(playback):
                yield from self._taken(pending, pending.meshes)
            self._read(pending, playback, frame, moment)
            yield from self._taken(pending, [one for one in pending.meshes if pending.is_full(one)])
            self._seen.add((playback.name, frame))
            if self._progress is not None:
                self._progress(len(self._seen), sum(one.frames for one in self._blocks))
        yield from self._taken(pending, pending.meshes)

    def _read(self, pending: PendingRuns, playback: Scanned, frame: float, moment: int) -> None:
        """Read all that is needed of the scan's instant. moment: its number."""
        scan, followers = self._scan, self._followers
        instant = playback, frame, moment
        scan.poses.keep(moment, scan.instant.poses)
        followed: set[str] = set()
        for name, profiles, standing, blender in pending.follow(instant):
            followed.add(name)
            for one in profiles:
                followers.stacks.read((name, one), standing, blender, playback, frame)
        for subject, mesh_object, posed, blender in scan.posed_at_instant(followed):
            followers.attributions.read(subject, mesh_object, moment)
            followers.stacks.read(subject, posed.frame, blender, playback, frame)
            pending.add(subject, mesh_object, instant, posed, blender)

    def _taken(self, pending: PendingRuns, meshes: Sequence[str]) -> Iterator[SampleRun]:
        for mesh in meshes:
            yield from pending.taken(mesh)
            self._followers.attributions.forget(mesh)
        if meshes:
            self._scan.poses.forget(pending.earliest)


def _is_posed(run: SampleRun) -> bool:
    """Whether bones have moved any part of a mesh."""
    mesh = run.measured.binding.mesh
    moved = np.abs(run.measured.references - mesh.positions).max(initial=0.0)
    return bool(moved > POSED * mesh.diagonal)
