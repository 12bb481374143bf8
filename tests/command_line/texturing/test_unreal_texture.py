"""`skinscope bone-texture --layout animtotexture`: read as the plug-in's material reads it, the mesh is where Blender
has it. Unreal itself isn't here.
"""

from __future__ import annotations

import json
from math import pi
from pathlib import Path

import bpy
import numpy as np
import pytest

from tests.command_line.conftest import Program
from tests.command_line.crowding.walker_file import walker_file
from tests.command_line.texturing.test_bone_texture import changed
from tests.engines.skinned_gltf import SkinnedGltf
from tests.engines.test_bone_texture import FRAMES, blenders

LAYOUT = ("--layout", "animtotexture")


def numbers(path: Path) -> np.ndarray:
    """Return a picture's pixels from 0 to 1, (height, width, 4), the top row first."""
    image = bpy.data.images.load(str(path))
    image.colorspace_settings.name = "Non-Color"
    image.alpha_mode = "CHANNEL_PACKED"
    width, height = image.size
    found = np.empty(width * height * 4, dtype=np.float32)
    image.pixels.foreach_get(found)
    bpy.data.images.remove(image)
    return found.reshape(height, width, 4)[::-1].astype(np.float64)


def turned(points: np.ndarray, axis: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Rodrigues' formula, point by point."""
    sine, cosine = np.sin(angle)[:, None], np.cos(angle)[:, None]
    along = np.sum(axis * points, axis=1)[:, None] * axis
    return points * cosine + np.cross(axis, points) * sine + along * (1 - cosine)


def at_frame(folder: Path, values: dict, frame: int) -> np.ndarray:
    """Return all vertices (V, 3) as the material places them, in Unreal's space."""
    gltf = SkinnedGltf.read(folder / values["mesh"])
    position, rotation, weight = (
        numbers(folder / values["textures"][name])
        for name in ("BonePositionTexture", "BoneRotationTexture", "BoneWeightTexture")
    )
    found = []
    for mesh in gltf.document["meshes"]:
        attributes = mesh["primitives"][0]["attributes"]
        assert not any(name.startswith(("JOINTS", "WEIGHTS")) for name in attributes)
        x, y, z = gltf._accessor(attributes["POSITION"]).astype(np.float64).T
        vertices = 100 * np.stack((x, z, y), axis=1)
        height, width, _ = weight.shape
        u, v = gltf._accessor(attributes[f"TEXCOORD_{values['UVChannel']}"]).T
        column, row = (u * width).astype(int), (v * height).astype(int)
        bones = np.rint(255 * weight[row, column]).astype(int)
        shares = weight[row + values["BoneWeightRowsPerFrame"], column]
        np.testing.assert_allclose(shares.sum(axis=1), 1, atol=1e-6)
        moved = np.zeros_like(vertices)
        for slot in range(4):
            bone = bones[:, slot]
            rows, columns = np.divmod(bone, position.shape[1])
            low, size = np.array(values["MinBBox"]), np.array(values["SizeBBox"])
            rest = position[rows, columns, :3] * size + low
            here = rows + (frame + 1) * values["RowsPerFrame"]
            change = position[here, columns, :3] * size + low
            axis = 2 * rotation[here, columns, :3] - 1
            axis /= np.linalg.norm(axis, axis=1, keepdims=True)
            angle = 2 * pi * rotation[here, columns, 3]
            moved += shares[:, slot, None] * (turned(vertices - rest, axis, angle) + rest + change)
        found.append(moved)
    return np.concatenate(found)


def test_every_clip_is_where_blender_has_it(tmp_path, skinscope: Program):
    walker = walker_file(tmp_path / "walker.blend")
    folder = tmp_path / "out"
    result = skinscope("bone-texture", walker, "--output", folder, *LAYOUT)
    assert result.status == 0, result.complaints
    values = json.loads((folder / "anim-to-texture.json").read_text(encoding="utf-8"))
    assert values["NumFrames"] == values["Animations"][-1]["EndFrame"] + 1
    height, width, _ = numbers(folder / "BonePosition.png").shape
    assert (width, height) == (values["NumBones"], (values["NumFrames"] + 1) * values["RowsPerFrame"])
    for clip in values["Animations"]:
        seconds, _, expected = blenders(walker, clip["Name"], FRAMES)
        assert len(seconds) > 2
        for second, places in zip(seconds, expected, strict=True):
            number = round(second * values["SampleRate"])
            read = at_frame(folder, values, clip["StartFrame"] + number)
            x, y, z = 100 * places.T
            in_unreal = np.stack((x, z, y), axis=1)
            # Drawn vertices are Blender's, some of them several times.
            apart = np.linalg.norm(read[:, None] - in_unreal, axis=-1).min(axis=1).max()
            assert apart <= 100 * clip["deviation"] + 1e-3


BAD = {
    "scale": (
        "armature.pose.bones[1].scale = (1, 2, 1); armature.pose.bones[1].keyframe_insert('scale', frame=1)",
        (),
        "AnimToTexture holds only rotation and translation; make a game-ready copy.",
    ),
    "a format": ("", ("--format", "half"), "AnimToTexture has a format of its own; leave out --format"),
    "a space": ("", ("--relative-to", "parent"), "AnimToTexture has a format of its own; leave out --format"),
}


@pytest.mark.parametrize("what", BAD)
def test_what_it_refuses(tmp_path, skinscope: Program, what):
    code, options, sentence = BAD[what]
    walker = walker_file(tmp_path / "walker.blend")
    if code:
        changed(walker, code)
    result = skinscope("bone-texture", walker, "--output", tmp_path / "out", *LAYOUT, *options)
    assert result.status == 2
    assert sentence in " ".join(result.complaints)
    assert not (tmp_path / "out").exists()


def test_an_exr_of_unorm16_is_refused(tmp_path, skinscope: Program):
    walker = walker_file(tmp_path / "walker.blend")
    options = ("--pixels", "exr", "--format", "unorm16")
    result = skinscope("bone-texture", walker, "--output", tmp_path / "out", *options)
    assert result.status == 2
    assert "OpenEXR has no unorm16" in " ".join(result.complaints)
