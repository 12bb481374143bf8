"""A character prepared for export: numbered, animated, exported by Blender's own glTF exporter, with our
prediction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import bpy
import numpy as np

from skinning_addon.core.profiles.export_options import AnimationMode, ExportOptions, GltfOptions
from skinning_addon.core.profiles.profile import Profile
from skinning_addon.measurement.check.scan import SceneScan
from skinning_addon.measurement.findings.stack_findings import cut_after_armature
from skinning_addon.scene.clips.clip_player import ClipPlayer
from skinning_addon.scene.clips.playback import Playback, what_plays
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes
from skinning_addon.scene.objects.modifier_stack import armature_objects

SOURCE = "_SOURCE"
"""Attribute with each exported vertex's original index. The exporter writes attributes whose names begin with
an underscore."""

SCENE = GltfOptions(mode=AnimationMode.SCENE)
"""The exporter's options for exporting what the scene plays, as in `export_animated`."""

FRAMES_FROM_START = (0, 10, 20)


@dataclass(frozen=True, eq=False)
class Expected:
    """All vertices of all meshes, numbered consecutively, in world space, at some frames.

    predicted: (F, V, 3), by a profile. blender: (F, V, 3), Blender's own. diagonal: of the box around Blender's
    first.
    """

    frames: tuple[int, ...]
    predicted: np.ndarray
    blender: np.ndarray
    diagonal: float

    def deviations(self, positions: np.ndarray, sources: np.ndarray) -> np.ndarray:
        """Return (F,), the largest distance of (F, N, 3) positions from the prediction, as a share of the
        diagonal.
        """
        distance = np.linalg.norm(positions - self.predicted[:, sources], axis=2)
        return distance.max(axis=1) / self.diagonal

    @property
    def deviations_from_blender(self) -> np.ndarray:
        """Return (F,), the prediction's own distance from Blender, as a share of the diagonal."""
        return np.linalg.norm(self.predicted - self.blender, axis=2).max(axis=1) / self.diagonal


def start_clip() -> tuple[list[bpy.types.Object], Playback, tuple[int, ...]]:
    """Play the open scene's first clip; return its meshes, the clip, and the frames to compare."""
    scene = bpy.context.scene
    meshes = deformed_meshes(scene)
    for one in meshes:
        cut_after_armature(one)
    playback = what_plays(scene, [one for one in scene.objects if one.type == "ARMATURE"], None)[0]
    ClipPlayer(scene).play(playback, SCENE)
    first, last = int(np.ceil(playback.frame_start)), int(playback.frame_end)
    return meshes, playback, tuple(sorted({min(first + offset, last) for offset in FRAMES_FROM_START}))


def predict(
    meshes: Sequence[bpy.types.Object],
    playback: Playback,
    frames: tuple[int, ...],
    profile: Profile,
    device: str,
    *,
    exported_with: ExportOptions = SCENE,
) -> Expected:
    """Skin the meshes at the frames under the profile."""
    profile = replace(profile, exported_with=exported_with)
    predicted: dict[float, list[np.ndarray]] = {}
    blender: dict[float, list[np.ndarray]] = {}
    with SceneScan(bpy.context.scene, meshes, device, (profile,)) as scan:
        for sample in scan.samples([playback], lambda _: frames):
            frame, measured = sample.measurement.frame, sample.measurement
            to_world = frame.mesh_to_world
            for positions, result in (
                (measured.skinned.positions, predicted),
                (measured.blender.positions, blender),
            ):
                result.setdefault(sample.frame, []).append(positions @ to_world[:3, :3] + to_world[3, :3])
        assert not scan.refused
    by_blender = np.array([np.concatenate(blender[frame]) for frame in frames])
    diagonal = float(np.linalg.norm(np.ptp(by_blender[0], axis=0)))
    return Expected(
        frames, np.array([np.concatenate(predicted[frame]) for frame in frames]), by_blender, diagonal
    )


def number_vertices(meshes: Sequence[bpy.types.Object]) -> np.ndarray:
    """Give every vertex of all meshes a unique number; return the numbers of those in faces, the only ones
    exported.
    """
    first = 0
    in_faces: list[np.ndarray] = []
    for one in meshes:
        count = len(one.data.vertices)
        attribute = one.data.attributes.new(SOURCE, "FLOAT", "POINT")
        attribute.data.foreach_set("value", np.arange(first, first + count, dtype=np.float32))
        corners = np.empty(len(one.data.loops), dtype=np.int32)
        one.data.loops.foreach_get("vertex_index", corners)
        in_faces.append(np.unique(corners) + first)
        first += count
    assert first < 2**24, "too many vertices for whole numbers in 32 bits"
    return np.concatenate(in_faces)


def export_animated(
    path: Path, meshes: Sequence[bpy.types.Object], frames: tuple[int, ...], **options: object
) -> None:
    """Export the meshes with their armatures as the scene plays, with a key at every frame.

    Default options, except those that would omit vertices or keys, or need an image.
    """
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = frames[0], frames[-1]
    scene.frame_set(frames[0])
    chosen = {*meshes, *(armature for one in meshes for armature in armature_objects(one))}
    for one in bpy.context.view_layer.objects:
        one.select_set(one in chosen)
    settings = {
        "use_selection": True,
        "export_animation_mode": "SCENE",
        "export_attributes": True,
        "export_materials": "NONE",
        # The exporter considers channels that stay within 1e-4 constant.
        "export_optimize_animation_size": False,
        **options,
    }
    bpy.ops.export_scene.gltf(filepath=str(path), export_format="GLB", **settings)


def seconds(frame: float) -> float:
    """Return a frame's time in the exported file."""
    render = bpy.context.scene.render
    return frame / (render.fps * render.fps_base)


def from_y_up(positions: np.ndarray) -> np.ndarray:
    """Convert (..., 3) positions of a glTF scene, Y up, to Blender's axes."""
    return np.stack((positions[..., 0], -positions[..., 2], positions[..., 1]), axis=-1)
