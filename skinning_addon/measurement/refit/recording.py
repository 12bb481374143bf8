"""Playing a character and recording it: all bones at every frame, and its meshes at those that are fitted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.maths.scratch import RowsToCome, taken
from ...core.refit.wanted import Wanted
from ...core.skinning.joints import Joints
from ...core.skinning.passes import Blend
from ...core.skinning.skin import Skin
from ...core.text.errors import BindingError, ClipError, StaleBindingError
from ...scene.armatures.armature_reader import ArmatureReader
from ...scene.binding.binding_reader import read_binding
from ...scene.binding.frame import PosedPass
from ...scene.binding.frame_reader import FrameReader
from ...scene.binding.instant import Instant
from ...scene.clips.clip_player import ClipPlayer
from ...scene.clips.playback import Playback, sample_frames, set_frame, stop_animation
from ...scene.clips.varied_poses import VariedPose, kinematics_kept, pose_varied, varied_poses
from ...scene.identification import identity, object_of
from ...scene.matrices import row_vectors, uneven_scale
from ...scene.meshes.blender_result import read_blender_positions
from ...scene.object_data import mesh_of

FITTED_FRAMES = 120
"""Of a clip, spread evenly: more look like those before and after them."""

AS_AN_OBJECT = 1e-3
"""How far a mesh may move against its armature as an object, as a part of its diagonal: rounding of objects far
from the world's origin is less."""

VARIED = "Range of motion"
"""Stands for the poses beside clips, in reports."""


@dataclass(frozen=True, eq=False)
class RecordedMesh:
    """A mesh's skin as authored, and what Blender makes of it.

    rest: (V, 3) float64, before skinning, in the armature's space. edges: (E, 2) int32.
    positions: (m, V, 3) float32, in the armature's space, at the recording's frames `with_meshes`.
    to_root: (F, J, 4, 4) float64, of the skin's joints at every frame.
    keeps_volume: whether Blender deforms it with Preserve Volume. moves_as_object: whether it moves against
    its armature other than by its bones, as a mesh does that is not the child of an armature which moves.
    """

    mesh_object: str
    rest: NDArray[np.float64]
    edges: NDArray[np.int32]
    skin: Skin
    joints: Joints
    positions: NDArray[np.float32]
    to_root: NDArray[np.float64]
    keeps_volume: bool
    moves_as_object: bool


@dataclass(frozen=True, eq=False)
class Recording:
    """An armature over everything that was played, in order.

    reader: of its bones. playbacks: the clips, and `counts` of frames that each has; varied poses follow them.
    to_root: (F, B, 4, 4) float64, all bones. with_meshes: (m,) the frames at which meshes were recorded, an
    index of the F. fitted: (n,) those of them that weights are fitted to, an index of the F. sources: (F,) each
    frame's clip, `len(playbacks)` for varied poses. meshes: those with weights.
    stretch: of the armature, see `Wanted`.
    """

    armature: str
    reader: ArmatureReader
    playbacks: tuple[Playback, ...]
    counts: tuple[int, ...]
    to_root: NDArray[np.float64]
    with_meshes: NDArray[np.intp]
    fitted: NDArray[np.intp]
    sources: NDArray[np.intp]
    meshes: tuple[RecordedMesh, ...]
    stretch: NDArray[np.float64] | None

    @property
    def names(self) -> tuple[str, ...]:
        """What each of `sources` is called."""
        return (*(one.name for one in self.playbacks), VARIED)

    @property
    def of_clips(self) -> slice:
        """The frames of clips, of the F, which come first."""
        return slice(0, sum(self.counts))

    def wanted(
        self,
        mesh: RecordedMesh,
        positions: NDArray[np.float32],
        finals: NDArray[np.float64],
        sources: NDArray[np.intp],
    ) -> Wanted:
        """Return what a fit of a mesh is to reach. positions (n, V, 3), finals (n, J, 4, 4), sources (n,): at
        frames of the recording.
        """
        return Wanted(mesh.rest, positions, finals, sources, self.names, len(self.playbacks), self.stretch)

    def fitted_positions(self, mesh: RecordedMesh) -> NDArray[np.float32]:
        """Return the positions (n, V, 3) of a mesh at the fitted frames."""
        if np.array_equal(self.fitted, self.with_meshes):
            return mesh.positions
        return taken(mesh.positions, np.searchsorted(self.with_meshes, self.fitted))


def whole_frames(playback: Playback) -> Sequence[float]:
    """Return every whole frame of a clip and both ends: those that a copy gets keys for."""
    return sample_frames(playback.frame_start, playback.frame_end, at_most=1_000_000)


def held_out_frames(recording: Recording, held_out: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark all recorded frames (F,) between the first and the last of each clip that is held out. held_out:
    (n,), those of the fitted frames.
    """
    marked = np.zeros(len(recording.sources), dtype=np.bool_)
    held = recording.fitted[held_out]
    for source in np.unique(recording.sources[held]).tolist():
        of_source = held[recording.sources[held] == source]
        marked[of_source.min() : of_source.max() + 1] = True
    return marked


def record(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    meshes: Sequence[bpy.types.Object],
    playbacks: Sequence[Playback],
    *,
    varied: int,
    every_frame: bool = False,
    progress: Callable[[float], None],
) -> Recording:
    """Play clips and then `varied` poses. This changes the scene: for files opened to be measured.

    meshes: deformed by the armature and by nothing else, with modifiers switched as they are to be fitted.
    every_frame: whether meshes are recorded at every frame, and not only at those that weights are fitted to.
    progress: called with the finished fraction; it may raise to stop.

    Raises:
        BindingError: a mesh can't be bound, its settings change from frame to frame, or Blender's result is
        not finite.
    """
    recorder = _Recorder(armature, meshes)
    frames = [whole_frames(one) for one in playbacks]
    poses = _poses(armature, varied)
    total = sum(len(one) for one in frames) + len(poses)
    done = 0
    player = ClipPlayer(scene)
    for number, (playback, of_clip) in enumerate(zip(playbacks, frames, strict=True)):
        fitted = _spread(len(of_clip))
        player.play(playback, None)
        for index, frame in enumerate(of_clip):
            set_frame(scene, frame)
            recorder.take(number, fitted=index in fitted, with_meshes=every_frame or index in fitted)
            done += 1
            progress(done / total)
    player.restore()
    with kinematics_kept(armature):
        stop_animation(armature)
        for pose in poses:
            pose_varied(armature, pose)
            bpy.context.view_layer.update()
            recorder.take(len(playbacks), fitted=True, with_meshes=True)
            done += 1
            progress(done / total)
    player.restore()
    return recorder.recording(tuple(playbacks), tuple(len(one) for one in frames))


def _poses(armature: bpy.types.Object, count: int) -> list[VariedPose]:
    try:
        return varied_poses(armature, count)
    except ClipError:
        # Without bones that can be turned, what plays is all that can be fitted.
        return []


def _spread(count: int) -> frozenset[int]:
    return frozenset(np.linspace(0, count - 1, min(count, FITTED_FRAMES)).round().astype(int).tolist())


class _Recorder:
    def __init__(self, armature: bpy.types.Object, meshes: Sequence[bpy.types.Object]) -> None:
        self._armature = identity(armature)
        self._stretch = uneven_scale(row_vectors(armature.matrix_world))
        instant = Instant(bpy.context.evaluated_depsgraph_get())
        self._reader = instant.armatures.of(armature)
        self._bones = RowsToCome[np.float64]()
        self._sources: list[int] = []
        self._fitted: list[int] = []
        self._with_meshes: list[int] = []
        self._meshes = [_MeshRecorder(one, armature, instant) for one in meshes]

    def take(self, source: int, *, fitted: bool, with_meshes: bool) -> None:
        """Record the current frame."""
        depsgraph = bpy.context.evaluated_depsgraph_get()
        instant = Instant(depsgraph)
        if fitted:
            self._fitted.append(len(self._sources))
        if with_meshes:
            self._with_meshes.append(len(self._sources))
        self._sources.append(source)
        self._bones.append(self._reader.read_to_root(object_of(self._armature).evaluated_get(depsgraph)))
        for one in self._meshes:
            one.take(instant, with_positions=with_meshes)

    def recording(self, playbacks: tuple[Playback, ...], counts: tuple[int, ...]) -> Recording:
        return Recording(
            self._armature,
            self._reader,
            playbacks,
            counts,
            self._bones.array(),
            np.array(self._with_meshes, dtype=np.intp),
            np.array(self._fitted, dtype=np.intp),
            np.array(self._sources, dtype=np.intp),
            tuple(one.recorded() for one in self._meshes),
            self._stretch,
        )


class _MeshRecorder:
    def __init__(self, mesh_object: bpy.types.Object, armature: bpy.types.Object, instant: Instant) -> None:
        self._name = identity(mesh_object)
        self._binding = read_binding(mesh_object, instant.depsgraph, armatures=instant.armatures)
        if [one.armature for one in self._binding.passes] != [identity(armature)]:
            raise BindingError(
                "'{mesh}' is not deformed by just one Armature modifier for '{armature}'; apply the others.",
                mesh=self._name,
                armature=identity(armature),
            )
        self._reader = FrameReader(self._binding, armatures=instant.armatures)
        mesh = mesh_of(mesh_object)
        edges = np.empty(2 * len(mesh.edges), dtype=np.int32)
        mesh.edges.foreach_get("vertices", edges)
        self._edges = edges.reshape(-1, 2)
        at_rest = self._posed(instant)
        self._rest = _moved(self._binding.mesh.positions, at_rest.mesh_to_root)
        self._joints = at_rest.joints
        self._mesh_to_root, self._moves_as_object = at_rest.mesh_to_root, False
        self._to_root, self._positions = RowsToCome[np.float64](), RowsToCome[np.float32]()

    def take(self, instant: Instant, *, with_positions: bool) -> None:
        posed = self._posed(instant)
        self._to_root.append(posed.pose.to_root)
        self._moves_as_object |= self._is_elsewhere(posed.mesh_to_root)
        if with_positions:
            mesh_object = object_of(self._name)
            found = read_blender_positions(mesh_object, instant.depsgraph, len(self._rest))
            self._positions.append(_moved(found, posed.mesh_to_root).astype(np.float32))

    def recorded(self) -> RecordedMesh:
        return RecordedMesh(
            self._name,
            self._rest,
            self._edges,
            self._binding.passes[0].skin,
            self._joints,
            self._positions.array(),
            self._to_root.array(),
            self._binding.passes[0].blend is Blend.VOLUME,
            self._moves_as_object,
        )

    def _is_elsewhere(self, mesh_to_root: NDArray[np.float64]) -> bool:
        """Whether a mesh that is not deformed would be at another place in its armature's space."""
        if np.array_equal(mesh_to_root, self._mesh_to_root):
            return False
        now = _moved(self._binding.mesh.positions, mesh_to_root)
        size = float(np.linalg.norm(np.ptp(self._rest, axis=0)))
        return bool(np.abs(now - self._rest).max() > AS_AN_OBJECT * size)

    def _posed(self, instant: Instant) -> PosedPass:
        try:
            return self._reader.read(object_of(self._name), instant.depsgraph, instant=instant).passes[0]
        except StaleBindingError as error:
            raise BindingError(
                "The weights or settings of '{mesh}' change from frame to frame, and a skin has only one set; "
                "switch that animation off.",
                mesh=self._name,
            ) from error


def _moved(positions: NDArray[np.floating], matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    return positions.astype(np.float64) @ matrix[:3, :3] + matrix[3, :3]
