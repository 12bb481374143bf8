"""The files of `skinscope bone-texture --layout animtotexture`, for Unreal's plug-in of that name."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import bpy
import numpy as np
from numpy.typing import NDArray

from ...animation.anim_to_texture import (
    FILE_TO_UNREAL,
    LARGEST,
    Arrangement,
    BoneFrames,
    weight_pixels,
)
from ...animation.bone_movements import movements_of, scaled_or_sheared
from ...animation.sampled_clips import SampledClips, sample_ticks
from ...core.gltf.skinned_mesh import SkinnedPart, static_glb
from ...core.text.errors import ClipError
from ...measurement.pictures.png_file import png_content
from ...scene.crowd.textured_character import TexturedCharacter
from ..program.output_files import Outputs
from .texture_files import MESH, UNMOVED, drawn_parts, loops

VALUES = "anim-to-texture.json"
POSITIONS, ROTATIONS, WEIGHTS = "BonePosition.png", "BoneRotation.png", "BoneWeights.png"
FILES = (VALUES, POSITIONS, ROTATIONS, WEIGHTS, MESH)

UV_CHANNEL = 1


@dataclass(frozen=True, eq=False)
class UnrealTexture:
    """deviations: by clip, the largest distance of any vertex at a whole frame, in metres."""

    clips: SampledClips
    rate: float
    bones: NDArray[np.intp]
    frames: BoneFrames
    parts: list[SkinnedPart]
    weights: NDArray[np.uint8]
    vertices: Arrangement
    deviations: list[float]

    @classmethod
    def of(cls, character: TexturedCharacter, scene: bpy.types.Scene, largest: int) -> UnrealTexture:
        """Sample a character's clips at the scene's rate. largest: pixels of a side, up to the plug-in's limit.

        Raises:
            ClipError: a clip scales or shears bones, or there are too many of something. BindingError: see
            `drawn_parts`.
        """
        rate = scene.render.fps / scene.render.fps_base
        counts = np.array([round(one.duration * rate) + 1 for one in character.clips], dtype=np.intp)
        clips = SampledClips(character.skeleton, character.clips, counts, ())
        bones, root_to_file = character.bones, character.root_to_file
        poses = [
            movements_of(clips, clip, sample_ticks(clip, int(count)), bones, root_to_file)
            for clip, count in zip(clips.clips, counts, strict=True)
        ]
        bad = scaled_or_sheared(clips, bones, poses)
        if bad is not None:
            raise ClipError(
                "'{clip}' scales or shears '{bone}', and AnimToTexture holds only rotation and translation; "
                "make a game-ready copy.",
                clip=bad[0],
                bone=bad[1],
            )
        rest = character.skeleton.rest_to_root[bones].copy()
        rest[bones < 0] = np.eye(4)
        frames = BoneFrames.of(rest @ root_to_file, np.concatenate(poses), min(largest, LARGEST))
        parts = drawn_parts(character, {int(bone): at for at, bone in enumerate(bones)})
        joints = np.concatenate([one.joints[:, :4] for one in parts])
        weights = np.concatenate([one.weights[:, :4] for one in parts])
        pixels, vertices = weight_pixels(joints, weights, min(largest, LARGEST))
        made = cls(clips, rate, bones, frames, parts, pixels, vertices, [])
        found = [made._deviation(int(start), each) for start, each in zip(clips.starts, poses, strict=True)]
        return replace(made, deviations=found)

    def _deviation(self, start: int, movements: NDArray[np.float64]) -> float:
        """Return how far any vertex is off at a clip's frames, in metres, against its own movements (n, N, 4,
        4) and weights.
        """
        count = sum(len(one.positions) for one in self.parts)
        rows = self.vertices.rows_per_frame
        joints, weights = (
            self.weights[part].reshape(-1, 4)[:count].astype(np.intp)
            for part in (slice(0, rows), slice(rows, 2 * rows))
        )
        positions = np.concatenate([one.positions for one in self.parts])
        homogeneous = np.concatenate((positions, np.ones((count, 1))), axis=1)
        in_unreal = (homogeneous @ FILE_TO_UNREAL)[:, :3]
        places = self.frames.rest
        worst = 0.0
        for number, exact in enumerate(movements):
            turns, changes = self.frames.read(start + number)
            read = np.zeros((count, 3))
            for slot in range(4):
                bone = joints[:, slot]
                turned = np.einsum("vc,vcd->vd", in_unreal - places[bone], turns[bone])
                read += weights[:, slot, None] / 255 * (turned + places[bone] + changes[bone])
            wanted = np.concatenate([_skinned(one, exact) for one in self.parts]) @ FILE_TO_UNREAL[:3, :3]
            worst = max(worst, float(np.linalg.norm(read - wanted, axis=1).max(initial=0.0)))
        return worst / FILE_TO_UNREAL[0, 0]

    def write(self, outputs: Outputs, folder: Path, character: TexturedCharacter) -> None:
        """Write all files."""
        pictures = (
            (POSITIONS, self.frames.positions),
            (ROTATIONS, self.frames.rotations),
            (WEIGHTS, self.weights),
        )
        for name, pixels in pictures:
            outputs.content(folder / name, png_content(pixels, is_color=False))
        centres = self.vertices.centres(sum(len(one.positions) for one in self.parts))
        ends = np.cumsum([len(one.positions) for one in self.parts])[:-1]
        outputs.content(folder / MESH, static_glb(self.parts, np.split(centres, ends)))
        outputs.text(folder / VALUES, self._values(character))

    def _values(self, character: TexturedCharacter) -> str:
        """Return what to type into the data asset and the material, by the names that they have there."""
        names = character.skeleton.names
        starts: Sequence[int] = self.clips.starts.tolist()
        ends = [start + count - 1 for start, count in zip(starts, self.clips.counts.tolist(), strict=True)]
        document = {
            "version": 1,
            "generator": "Skinscope",
            "character": character.name,
            "mesh": MESH,
            "axes": "as Unreal imports mesh.glb: Z up, left-handed, centimetres",
            "textures": {
                "BonePositionTexture": POSITIONS,
                "BoneRotationTexture": ROTATIONS,
                "BoneWeightTexture": WEIGHTS,
            },
            "NumBones": len(self.bones),
            "NumFrames": int(self.clips.counts.sum()),
            "SampleRate": self.rate,
            "RowsPerFrame": self.frames.bones.rows_per_frame,
            "BoneWeightRowsPerFrame": self.vertices.rows_per_frame,
            "MinBBox": self.frames.least.tolist(),
            "SizeBBox": self.frames.size.tolist(),
            "UVChannel": UV_CHANNEL,
            "Animations": [
                {
                    "Name": clip.name,
                    "StartFrame": start,
                    "EndFrame": end,
                    "looping": does_loop,
                    "deviation": deviation,
                }
                for clip, start, end, deviation, does_loop in zip(
                    self.clips.clips, starts, ends, self.deviations, loops(character), strict=True
                )
            ],
            "bones": [names[bone] if bone >= 0 else UNMOVED for bone in self.bones.tolist()],
        }
        return json.dumps(document, indent=1) + "\n"


def _skinned(part: SkinnedPart, movements: NDArray[np.float64]) -> NDArray[np.float64]:
    """Skin a part by movements (N, 4, 4), with all its influences."""
    homogeneous = np.concatenate((part.positions, np.ones((len(part.positions), 1))), axis=1)
    moved = np.zeros((len(part.positions), 4))
    for slot in range(part.joints.shape[1]):
        moved += part.weights[:, slot, None] * np.einsum(
            "vc,vcd->vd", homogeneous, movements[part.joints[:, slot]]
        )
    return moved[:, :3]
