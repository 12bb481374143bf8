"""Compares baked clips with Blender's own evaluated meshes, frame by frame."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import bpy
import numpy as np
from numpy.typing import NDArray

from skinning_addon.animation.clip import Clip
from skinning_addon.animation.fitting import fit_hierarchy
from skinning_addon.animation.local_pose import compose
from skinning_addon.animation.reduction import reduce_clip
from skinning_addon.animation.sampling import ClipSampler
from skinning_addon.core.skinning.skeleton import Skeleton
from skinning_addon.measurement.pictures.played_meshes import PlayedMesh, PlayedMeshes
from skinning_addon.scene.armatures.armature_reader import read_armature
from skinning_addon.scene.baking.clip_baking import bake_clips, bone_boxes
from skinning_addon.scene.clips.clips import SceneClip
from skinning_addon.scene.clips.playback import play_clip, set_frame
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes

REDUCED_TO = 1e-3
"""Tolerance of the key reduction, as a share of the character's size."""

FRAMES = 4
"""Number of whole frames to compare, and of fractional ones."""


@dataclass(frozen=True)
class ClipAccuracy:
    """The deviations of one clip. Vertex distances are relative, as everywhere: to the rest mesh's diagonal
    plus the movement.

    whole, fractional: of the baked clip at such frames. shear: the greatest amount, and the bone that has it.
    unexplained_whole, unexplained_fractional: what remains of the two when each bone's shear at that frame is
    added to the clip's pose; 0 without shear. reduced: of the clip with fewer keys, as a share of the whole
    character's size, since its meshes share one tolerance; reduced_bound: the reduction's own reported bound.
    """

    clip: str
    whole: float
    fractional: float
    shear: float
    shear_bone: str
    unexplained_whole: float
    unexplained_fractional: float
    reduced: float
    reduced_bound: float
    keys: int
    bytes: int
    reduced_keys: int
    reduced_bytes: int

    def log(self, rig: str) -> None:
        """Append this to the file that SKINSCOPE_ACCURACY names, as one line of JSON."""
        print(rig, self)
        path = os.environ.get("SKINSCOPE_ACCURACY")
        if path:
            with Path(path).open("a", encoding="utf-8") as file:
                file.write(json.dumps({"test": "clips", "rig": rig, **asdict(self)}) + "\n")


def measure_clips(clips: Sequence[SceneClip]) -> Iterator[ClipAccuracy]:
    """Bake clips of the scene's only character, in full and reduced, and compare each with Blender."""
    scene = bpy.context.scene
    armature = next(one for one in scene.objects if one.type == "ARMATURE")
    skeleton, boxes = read_armature(armature).skeleton, bone_boxes(scene, armature)
    for clip in clips:
        (baked,) = bake_clips(scene, armature, [clip])
        reduction = reduce_clip(baked.clip, skeleton, boxes, REDUCED_TO * boxes.size)
        worst = _Worst(armature, skeleton, boxes.size)
        play_clip(scene, clip)
        whole, fractional = _frames(clip)
        worst.look(baked.clip, whole, "whole")
        worst.look(baked.clip, fractional, "fractional")
        worst.look(reduction.clip, [*whole, *fractional], "reduced")
        shear = baked.shear[0] if baked.shear else None
        if shear:
            worst.look(baked.clip, [*whole, shear.frame], "unexplained_whole", with_shear=True)
            worst.look(baked.clip, fractional, "unexplained_fractional", with_shear=True)
        yield ClipAccuracy(
            clip=clip.name,
            whole=worst.of["whole"],
            fractional=worst.of["fractional"],
            shear=shear.amount if shear else 0.0,
            shear_bone=shear.bone if shear else "",
            unexplained_whole=worst.of.get("unexplained_whole", 0.0),
            unexplained_fractional=worst.of.get("unexplained_fractional", 0.0),
            reduced=worst.of["reduced"],
            reduced_bound=reduction.distance / boxes.size,
            keys=reduction.keys_before,
            bytes=reduction.bytes_before,
            reduced_keys=reduction.keys_after,
            reduced_bytes=reduction.bytes_after,
        )


class _Worst:
    """The largest relative distances of one clip's vertices from Blender's, by kind of comparison."""

    def __init__(self, armature: bpy.types.Object, skeleton: Skeleton, size: float) -> None:
        self.of: dict[str, float] = {}
        self._armature, self._skeleton, self._size = armature, skeleton, size
        self._reader = read_armature(armature)

    def look(self, clip: Clip, frames: Sequence[float], kind: str, *, with_shear: bool = False) -> None:
        """Compare a clip at some frames. with_shear: add to its pose the shear of Blender's own bones that the
        fit leaves out.
        """
        scene = bpy.context.scene
        sampler = ClipSampler(clip, self._skeleton)
        self.of[kind] = 0.0
        with PlayedMeshes(deformed_meshes(scene), "cpu") as meshes:
            assert not meshes.refused
            for frame in frames:
                set_frame(scene, frame)
                to_parent = compose(sampler.sample([frame]))[0].astype(np.float64)
                to_root = self._skeleton.to_root(to_parent[None])[0]
                if with_shear:
                    to_root = self._sheared(to_parent, to_root)
                for one in meshes.at({self._armature.name: to_root}):
                    here = self._off(scene.objects[one.name], one, of_character=kind == "reduced")
                    self.of[kind] = max(self.of[kind], here)

    def _off(self, mesh: bpy.types.Object, played: PlayedMesh, *, of_character: bool) -> float:
        """Return the largest vertex distance, relative to the mesh's size and movement or to the character's
        size.
        """
        skinned = played.skinned.positions
        evaluated = mesh.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
        # Modifiers such as Edge Split add vertices at the end.
        blender, rest = (_positions(one)[: len(skinned)] for one in (evaluated, mesh.data))
        apart = skinned - blender
        if of_character:
            to_root = played.frame.passes[0].mesh_to_root[:3, :3]
            return float(np.linalg.norm(apart @ to_root, axis=1).max() / self._size)
        moved = np.linalg.norm(blender - rest, axis=1).max() if len(rest) == len(blender) else 0.0
        return float(np.linalg.norm(apart, axis=1).max() / (np.linalg.norm(np.ptp(rest, axis=0)) + moved))

    def _sheared(self, to_parent: NDArray[np.float64], to_root: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add to each bone its own shear as Blender poses it now. Bones below don't inherit the shear that a
        bone loses.
        """
        evaluated = self._armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        fit = fit_hierarchy(self._skeleton, self._reader.read_to_root(evaluated)[None])
        whole = to_parent.copy()
        whole[:, :3, :3] += fit.shear[0]
        parents = self._skeleton.parents
        above = np.where((parents >= 0)[:, None, None], to_root[np.maximum(parents, 0)], np.eye(4))
        return whole @ above


def _positions(mesh: bpy.types.Mesh) -> NDArray[np.float64]:
    positions = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", positions)
    return positions.reshape(-1, 3).astype(np.float64)


def _frames(clip: SceneClip) -> tuple[list[float], list[float]]:
    random = np.random.default_rng(7)
    span = np.linspace(clip.frame_start, clip.frame_end, FRAMES)
    whole = [*np.round(span[1:-1]), span[0], span[-1]]
    return whole, random.uniform(clip.frame_start, clip.frame_end, FRAMES).tolist()
