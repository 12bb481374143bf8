"""How far a game-ready copy is from its original, as Blender evaluates both, over whole clips."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.text.errors import UsageError
from ...scene.clips.clips import ArmatureClip, SceneClip
from ...scene.clips.playback import Playback
from ...scene.identification import identity
from ...scene.matrices import row_vectors
from ...scene.meshes.mesh_reader import read_positions
from ...scene.object_data import mesh_of
from ...scene.refit.copied_keys import KeyValues, moving_keys
from ...scene.staging.clip_scene import ClipScene, clip_scene
from ...scene.staging.clip_staging import playback_frames, show_frame
from ..refit.tangent_frames import NOTHING_TURNED, TangentFrames, TurnedFrames


@dataclass(frozen=True)
class CopyDistance:
    """The farthest that a vertex of the copy is from that of the original.

    distance: scene units. mesh: identity of the original; '' if nothing was compared. clip, frame: where.
    by_vertex: by identity of the original, (V,) the largest distance of each vertex that Blender makes of it.
    turned: normals and tangents, over all meshes and frames. keys: values of the moving shape keys in each
    clip, by identity of the original.
    """

    distance: float = 0.0
    mesh: str = ""
    clip: str = ""
    frame: float = 0.0
    by_vertex: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    turned: TangentFrames = NOTHING_TURNED
    keys: Mapping[str, Sequence[KeyValues]] = field(default_factory=dict)


def compare_copy(
    scene: bpy.types.Scene,
    armatures: tuple[bpy.types.Object, bpy.types.Object],
    meshes: Sequence[tuple[bpy.types.Object, bpy.types.Object]],
    playbacks: Sequence[Playback],
    clips: Mapping[str, ArmatureClip],
) -> Generator[None, None, CopyDistance]:
    """Play both in a scene of their own; yield after every frame, and return the largest distance.

    armatures, meshes: the original and its copy each. clips: what the copy plays, by the playbacks' names.

    Raises:
        UsageError: modifiers make another number of vertices of a copy.
    """
    found = CopyDistance()
    by_vertex: dict[str, NDArray[np.float64]] = {}
    turned = TurnedFrames()
    shown_keys = [_ShownKeys(one) for one, _ in meshes if moving_keys(one)]
    every = [identity(one) for pair in meshes for one in pair]
    placed = [one for pair in meshes for one in pair]
    with clip_scene(scene, armatures, placed, whole=every) as stage:
        for playback in playbacks:
            stage.play(_on_both(playback, clips), None)
            for frame in playback_frames(playback):
                show_frame(stage, playback, frame)
                for one in shown_keys:
                    one.take(stage, playback.name, frame)
                for original, copy in meshes:
                    shown = _evaluated(stage, original), _evaluated(stage, copy)
                    wanted, is_at = (_positions(one) for one in shown)
                    _refuse_other_vertices(original, wanted, is_at)
                    turned.take(*shown)
                    name, distances = identity(original), np.linalg.norm(is_at - wanted, axis=1)
                    by_vertex[name] = np.maximum(by_vertex.get(name, 0.0), distances)
                    off = float(distances.max(initial=0.0))
                    if off > found.distance or not found.mesh:
                        found = CopyDistance(off, name, playback.name, frame)
                yield
    keys = {one.mesh: one.found() for one in shown_keys}
    return replace(found, by_vertex=by_vertex, turned=turned.found(), keys=keys)


class _ShownKeys:
    """What the moving shape keys of a mesh come to while clips are played."""

    def __init__(self, mesh_object: bpy.types.Object) -> None:
        self.mesh, self._names = identity(mesh_object), moving_keys(mesh_object)
        self._of_clips: dict[str, list[tuple[float, ...]]] = {}

    def take(self, stage: ClipScene, clip: str, frame: float) -> None:
        """Note the values at the frame that is shown."""
        keys = mesh_of(stage.placed[self.mesh]).shape_keys
        assert keys is not None  # noqa: S101 - for the type checker
        blocks = keys.evaluated_get(stage.depsgraph).key_blocks
        values = [blocks[name].value for name in self._names]
        self._of_clips.setdefault(clip, []).append((frame, *values))

    def found(self) -> tuple[KeyValues, ...]:
        """Return the values in each clip."""
        result = []
        for clip, rows in self._of_clips.items():
            frames, *values = np.array(rows).T
            result.append(KeyValues(clip, frames, dict(zip(self._names, values, strict=True))))
        return tuple(result)


def _on_both(playback: Playback, clips: Mapping[str, ArmatureClip]) -> Playback:
    """Return what plays a clip on the original, and the copy's own on the copy."""
    if not isinstance(playback, SceneClip):
        return playback
    own = clips[playback.name]
    return replace(playback, parts=(*(one for one in playback.parts if one.armature != own.armature), own))


def _evaluated(stage: ClipScene, mesh_object: bpy.types.Object) -> bpy.types.Object:
    return stage.placed[identity(mesh_object)].evaluated_get(stage.depsgraph)


def _positions(evaluated: bpy.types.Object) -> NDArray[np.float64]:
    """Return (V, 3) of an evaluated mesh, in the world."""
    to_world = row_vectors(evaluated.matrix_world)
    return read_positions(mesh_of(evaluated)) @ to_world[:3, :3] + to_world[3, :3]


def _refuse_other_vertices(
    original: bpy.types.Object, wanted: NDArray[np.float64], is_at: NDArray[np.float64]
) -> None:
    if len(wanted) != len(is_at):
        raise UsageError(
            "Modifiers make {wanted:,} vertices of '{mesh}' and {found:,} of its copy; apply them first.",
            mesh=original.name,
            wanted=len(wanted),
            found=len(is_at),
        )
