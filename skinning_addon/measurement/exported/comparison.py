"""An exported file compared with the recording of Blender, mesh by mesh and frame by frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ...core.skinning.deviation import Deviation, measure_deviation
from ...core.text.errors import InvalidArrayError, NothingToCompareError
from ...core.text.identity import Identity
from ...core.text.message import Message
from ...core.verdicts.deviation_track import DeviationTrack
from ...core.verdicts.finding import Finding
from ...core.verdicts.rules import RULES
from ...core.verdicts.tolerance import Tolerance
from ...core.verdicts.verdict import USUAL, Thresholds
from ..check.report import FILE_PROFILE, MeshReport
from ..frame.worst_frame import judged, worst_frame
from .assumed_pairs import assumed_pairs
from .clip_pairs import ClipPair
from .exported_file import ExportedFile, FileMesh
from .mesh_pairs import MeshPair, pair_vertices, same_meshes
from .moved_armatures import moves
from .recording import RecordedClip, RecordedMesh, Recording

FRAMES_AT_ONCE = 16
MATCHING_FRAMES = 8
MOST_VERTICES = 100


@dataclass(frozen=True, eq=False)
class FileComparison:
    """meshes: those that both have. findings: differences between the two. matched: by mesh, how its vertices
    were matched.
    """

    meshes: tuple[MeshReport, ...]
    findings: tuple[Finding, ...]
    matched: dict[str, str]


@dataclass
class _Followed:
    """A mesh's deviation over all frames so far."""

    pair: MeshPair
    track: DeviationTrack
    worst: Deviation | None = None
    clip: str = ""
    frame: float = 0.0
    frames: int = 0
    relative: float = 0.0


@dataclass
class Comparer:
    """Compares a file with a recording. Its clips belong to `clips`, in the same order."""

    recording: Recording
    clips: Sequence[ClipPair]
    file: ExportedFile
    thresholds: Thresholds = USUAL
    tolerance: Tolerance | None = None
    _findings: list[Finding] = field(default_factory=list)
    _posed: dict[int, tuple[list[int], list[NDArray[np.float64]]]] = field(default_factory=dict)

    def compare(self) -> FileComparison:
        """Compare all meshes.

        Raises:
            NothingToCompareError: the file and the scene have no mesh in common.
        """
        followed = {one.pair.mesh.object: one for one in self._paired()}
        for clip, pair in zip(self.recording.clips, self.clips, strict=True):
            for places in _chunks(len(clip.frames)):
                self._follow(clip, pair, places, followed)
        for one in followed.values():
            self._findings += self._of_vertices(one.pair)
        return FileComparison(
            tuple(self._report(one, one.worst) for one in followed.values() if one.worst is not None),
            tuple(self._findings),
            {name: one.pair.matched for name, one in followed.items()},
        )

    def _paired(self) -> Iterator[_Followed]:
        meshes, file_meshes = self.recording.meshes, self.file.meshes
        named = dict(same_meshes(meshes, file_meshes))
        left = [mesh for own, mesh in enumerate(meshes) if own not in named]
        others = {place: one for place, one in enumerate(file_meshes) if place not in named.values()}
        assumed = {one.mesh.object: one for one in assumed_pairs(left, others, self._pair_and_distance)}
        found = False
        for own, mesh in enumerate(meshes):
            pair = assumed.get(mesh.object)
            if pair is not None:
                self._findings.append(_assumed(mesh, file_meshes[pair.file_mesh]))
            elif own not in named:
                self._findings.append(_not_in_file(mesh.object))
                continue
            else:
                try:
                    pair = self._pair(mesh, named[own])
                except InvalidArrayError:
                    self._findings.append(_another_mesh(mesh, file_meshes[named[own]]))
                    continue
            found = True
            limits = mesh.body.limits(self.thresholds.good)
            yield _Followed(pair, DeviationTrack(limits))
        for place, one in others.items():
            if all(place != pair.file_mesh for pair in assumed.values()):
                rule = RULES["mesh-not-in-scene"]
                self._findings.append(rule.finding("", rule.told(mesh=one.name)))
        if not found:
            raise _nothing_to_compare(self.file, meshes, [meshes[own].object for own in named])

    def _pair(self, mesh: RecordedMesh, place: int) -> MeshPair:
        """Match a mesh's vertices with those of one of the file's, as posed by a clip that moves it.

        Raises:
            InvalidArrayError: these are not the same mesh.
        """
        clip = self._clip_of(mesh)
        frames, theirs = self._matching(clip)
        return pair_vertices(
            mesh,
            place,
            self.file.meshes[place],
            self.recording.clips[clip],
            frames=frames,
            theirs=theirs[place],
            metres_per_unit=self.recording.metres_per_unit,
        )

    def _pair_and_distance(self, mesh: RecordedMesh, place: int) -> tuple[MeshPair, float]:
        """Also return the root mean square of how far the vertices are off at the frames that matched them."""
        pair, clip = self._pair(mesh, place), self._clip_of(mesh)
        frames, theirs = self._matching(clip)
        known = pair.source >= 0
        ours = np.array([self.recording.clips[clip].world(mesh.object, one) for one in frames])
        off = theirs[place][:, known] - ours[:, pair.source[known]]
        return pair, float(np.sqrt(np.einsum("fnc,fnc->fn", off, off).mean()))

    def _clip_of(self, mesh: RecordedMesh) -> int:
        """Choose a clip that moves a mesh; the first if none does."""
        return next((at for at, one in enumerate(self.clips) if moves(one.playback, mesh.armatures)), 0)

    def _matching(self, clip: int) -> tuple[list[int], list[NDArray[np.float64]]]:
        """Return a few frames of a clip, and the file's meshes at these."""
        if clip not in self._posed:
            recorded = self.recording.clips[clip]
            places = np.linspace(0, len(recorded.frames) - 1, MATCHING_FRAMES).astype(int)
            frames: list[int] = np.unique(places).tolist()
            self._posed[clip] = frames, self._positions(recorded, self.clips[clip], frames)
        return self._posed[clip]

    def _positions(
        self, clip: RecordedClip, pair: ClipPair, places: Sequence[int]
    ) -> list[NDArray[np.float64]]:
        seconds = [pair.seconds(clip.frames[one], self.recording.fps) for one in places]
        return self.file.positions(pair.clips, seconds)

    def _follow(
        self, clip: RecordedClip, pair: ClipPair, places: Sequence[int], followed: dict[str, _Followed]
    ) -> None:
        theirs = self._positions(clip, pair, places)
        for one in followed.values():
            if not moves(pair.playback, one.pair.mesh.armatures):
                continue
            for posed, place in zip(theirs[one.pair.file_mesh], places, strict=True):
                self._add(one, posed, clip, place)

    def _add(self, one: _Followed, posed: NDArray[np.float64], clip: RecordedClip, place: int) -> None:
        mesh, metres = one.pair.mesh, self.recording.metres_per_unit
        blender = clip.world(mesh.object, place)
        skinned = farthest(posed, one.pair.source, blender)
        matrix = clip.to_world[mesh.object][place]
        deviation = measure_deviation(
            skinned,
            blender,
            mesh.rest.positions @ matrix[:3, :3] + matrix[3, :3],
            diagonal=max(mesh.size, mesh.rest.diagonal * float(np.linalg.norm(matrix[:3, :3], axis=1).max())),
            vertex_areas=mesh.rest.vertex_areas,
            metres_per_unit=metres,
        )
        one.frames += 1
        one.relative = max(one.relative, deviation.relative)
        offsets = ((skinned - blender) * metres).astype(np.float32)
        one.track.add(offsets[:, None], clip.name, (clip.frames[place],))
        if one.worst is None or deviation.max > one.worst.max:
            one.worst, one.clip, one.frame = deviation, clip.name, clip.frames[place]

    def _report(self, one: _Followed, deviation: Deviation) -> MeshReport:
        mesh = one.pair.mesh
        worst = worst_frame(deviation, one.clip, one.frame, frames=one.frames, relative=one.relative)
        worst = judged(
            worst,
            deviation,
            mesh.body,
            split=(float("nan"), float("nan")),
            run=one.track.run,
            pop=one.track.pop,
            parts=mesh.body.deviations(one.track.largest, self.thresholds.good),
            thresholds=self.thresholds,
        )
        good = self.thresholds.good * mesh.body.height_scale
        return MeshReport(
            object=mesh.object,
            armatures=mesh.armatures,
            vertices=mesh.rest.vertex_count,
            joints=mesh.joints,
            exact=True,
            reasons=(),
            device=FILE_PROFILE,
            technique=self.file.reader,
            profile=FILE_PROFILE,
            worst=worst,
            tolerance=self.tolerance or Tolerance(float(f"{good:.3g}"), relative=False),
        )

    def _of_vertices(self, pair: MeshPair) -> Iterator[Finding]:
        name = pair.mesh.object
        missing = pair.missing
        if len(missing):
            rule = RULES["vertices-not-in-file"]
            message = rule.told(
                mesh=name, count=len(missing), vertices=len(np.unique(pair.mesh.rest.triangles))
            )
            yield replace(
                rule.finding(name, message),
                vertices=tuple(missing[:MOST_VERTICES].tolist()),
                count=len(missing),
            )
        if pair.unmatched:
            rule = RULES["vertices-not-in-scene"]
            message = rule.told(mesh=name, count=pair.unmatched, vertices=len(pair.source))
            yield replace(rule.finding(name, message), count=pair.unmatched)
        if pair.ambiguous:
            rule = RULES["twin-vertices"]
            message = rule.told(mesh=name, count=pair.ambiguous)
            yield replace(rule.finding(name, message), count=pair.ambiguous)


def farthest(
    posed: NDArray[np.float64], source: NDArray[np.intp], blender: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return (V, 3): for each of Blender's vertices, the farthest of its counterparts in the file (N, 3).

    For vertices that the file lacks, Blender's own position.
    """
    known = np.flatnonzero(source >= 0)
    offset = posed[known] - blender[source[known]]
    # In ascending order, so that the farthest is written last; NaN sorts last.
    order = known[np.argsort(np.einsum("nc,nc->n", offset, offset), kind="stable")]
    result = blender.copy()
    result[source[order]] = posed[order]
    return result


def _chunks(count: int) -> Iterator[list[int]]:
    for first in range(0, count, FRAMES_AT_ONCE):
        yield list(range(first, min(first + FRAMES_AT_ONCE, count)))


def _assumed(mesh: RecordedMesh, other: FileMesh) -> Finding:
    rule = RULES["mesh-assumed"]
    return rule.finding(mesh.object, rule.told(mesh=mesh.object, other=other.name))


def _not_in_file(mesh: str) -> Finding:
    rule = RULES["mesh-not-in-file"]
    return rule.finding(mesh, rule.told(mesh=mesh))


def _nothing_to_compare(
    file: ExportedFile, meshes: Sequence[RecordedMesh], of_one_name: Sequence[str]
) -> NothingToCompareError:
    """Say why. of_one_name: meshes that the file has by name, with vertices at other places."""
    if of_one_name:
        return NothingToCompareError(
            "The vertices of {meshes} in '{path}' are not where this scene has them at rest; choose the file "
            "that was exported from it, or apply modifiers that make vertices.",
            path=file.path,
            meshes=listed(of_one_name),
        )
    return NothingToCompareError(
        "'{path}' has none of the meshes of this scene: it has {theirs}, and the scene {ours}; choose the file "
        "that was exported from it.",
        path=file.path,
        theirs=listed([one.name for one in file.meshes]),
        ours=listed([one.object for one in meshes]),
    )


def _another_mesh(mesh: RecordedMesh, other: FileMesh) -> Finding:
    rule = RULES["other-mesh-in-file"]
    words = {"other": other.name, "theirs": len(other.rest), "ours": mesh.rest.vertex_count}
    return rule.finding(mesh.object, rule.told(mesh=mesh.object, **words))


def listed(names: Sequence[str]) -> str:
    """Name a few things in a sentence."""
    if not names:
        return Message("nothing")
    shown = ", ".join(f"'{Identity.of(one).name}'" for one in names[:5])
    return Message("{names} and {count} more", names=shown, count=len(names) - 5) if len(names) > 5 else shown
