"""`skinscope bone-texture`: a character's clips as a texture of its bones."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TextIO

import bpy
import numpy as np

from ...animation.bone_rows import with_ancestors
from ...animation.bone_textures import BoneTexture, Storage
from ...animation.crowd.strides import STANDARD_HEIGHT
from ...animation.pixel_format import BoneSpace, Layout, PixelFormat, Storing
from ...core.text.errors import UsageError
from ...core.text.message import Message, counted
from ...core.text.printable import printable
from ...scene.crowd.exr_picture import exr_content
from ...scene.crowd.textured_character import TexturedCharacter, read_textured
from ..program.blender_session import open_quietly
from ..program.output_files import Outputs, filled_folder
from ..program.progress import ProgressLine
from ..program.streams import complain
from .texture_files import MANIFEST, MESH, PICTURE, PIXELS, manifest_text, mesh_content
from .unreal_files import FILES, UnrealTexture

MILLIMETRES = 1000

NUMBERS_PER_VERTEX = 8
"""Of a vertex animation texture: a pixel for the position, and one for the normal."""


def bone_texture(arguments: argparse.Namespace, output: TextIO) -> int:
    """Write the files, and say how far off the texture is.

    Raises:
        SkinscopeError: the file can't be read, its character can't be written so, or a file can't be written.
    """
    _check(arguments)
    with filled_folder(arguments.output) as folder:
        with ProgressLine() as progress:
            open_quietly(arguments.file, progress)
            character = read_textured(bpy.context.scene, arguments.clips)
        if arguments.layout == Layout.ANIM_TO_TEXTURE.value:
            return _for_unreal(character, folder, arguments, output)
        texture = _texture(character, arguments)
        boxes = character.boxes
        deviations = [texture.deviation(number, boxes) for number in range(len(character.clips))]
        with Outputs() as outputs:
            is_picture = arguments.pixels == Storing.EXR.value
            if is_picture:
                outputs.content(folder / PICTURE, exr_content(bpy.context.scene, texture.pixels))
            else:
                outputs.content(folder / PIXELS, texture.pixels.tobytes())
            outputs.content(folder / MESH, mesh_content(texture, character))
            pixels_file = PICTURE if is_picture else PIXELS
            outputs.text(folder / MANIFEST, manifest_text(texture, character, deviations, pixels_file))
    millimetres = [one * _millimetres(character) for one in deviations]
    for line in _told(texture, character, millimetres):
        print(printable(line), file=output)
    print(f"{MANIFEST}, {pixels_file}, {MESH} written.", file=output)
    if max(millimetres) > arguments.tolerance:
        complain(_too_far(texture, millimetres, arguments.tolerance))
    return 0


def _check(arguments: argparse.Namespace) -> None:
    """Refuse what doesn't go together."""
    is_unorm = arguments.format == PixelFormat.UNORM16.value
    if arguments.relative_to == BoneSpace.PARENT.value and is_unorm:
        raise UsageError(
            "unorm16 holds movements from rest; choose --format float32 or half for --relative-to parent."
        )
    if arguments.pixels == Storing.EXR.value and is_unorm:
        raise UsageError("OpenEXR has no unorm16; choose --format float32 or half, or --pixels raw.")
    ours = (
        arguments.format != PixelFormat.FLOAT32.value
        or arguments.relative_to != BoneSpace.REST.value
        or arguments.pixels != Storing.RAW.value
    )
    if arguments.layout == Layout.ANIM_TO_TEXTURE.value and ours:
        raise UsageError(
            "AnimToTexture has a format of its own; leave out --format, --pixels and --relative-to."
        )


def _for_unreal(
    character: TexturedCharacter, folder: Path, arguments: argparse.Namespace, output: TextIO
) -> int:
    """Write the files for AnimToTexture, and say how far off they are."""
    texture = UnrealTexture.of(character, bpy.context.scene)
    with Outputs() as outputs:
        texture.write(outputs, folder, character)
    height, width, _ = texture.frames.positions.shape
    bones = counted(len(texture.bones), "bone", "bones")
    frames = counted(int(texture.clips.counts.sum()), "frame", "frames")
    print(
        printable(f"{character.name}: {bones}, {frames}, {width} x {height} pixels of 16 bits."), file=output
    )
    print("Distances are of a character 1.8 m tall, at whole frames.", file=output)
    millimetres = [one * _millimetres(character) for one in texture.deviations]
    for clip, distance in zip(character.clips, millimetres, strict=True):
        told = f"'{clip.name}': {clip.duration:.2f} s, no vertex more than {distance:.3f} mm off."
        print(printable(told), file=output)
    print(f"{', '.join(FILES)} written.", file=output)
    worst = int(np.argmax(millimetres))
    if millimetres[worst] > arguments.tolerance:
        complain(
            Message(
                "'{clip}' is up to {found:.2f} mm off, more than {tolerance:g} mm: AnimToTexture rounds "
                "positions and turns to 16 bits, weights to 8, and takes four bones for a vertex.",
                clip=character.clips[worst].name,
                found=millimetres[worst],
                tolerance=arguments.tolerance,
            )
        )
    return 0


def _texture(character: TexturedCharacter, arguments: argparse.Namespace) -> BoneTexture:
    stored = Storage(PixelFormat(arguments.format), arguments.largest, BoneSpace(arguments.relative_to))
    bones = character.bones
    if stored.space is BoneSpace.PARENT:
        bones = with_ancestors(character.skeleton.parents, bones)
    return BoneTexture.within(
        character.skeleton,
        character.clips,
        bones,
        character.root_to_file,
        stored,
        boxes=character.boxes,
        tolerance=arguments.tolerance / _millimetres(character),
    )


def _millimetres(character: TexturedCharacter) -> float:
    """Return how many millimetres a metre is, were the character 1.8 m tall."""
    return MILLIMETRES * STANDARD_HEIGHT / (character.height or STANDARD_HEIGHT)


def _too_far(texture: BoneTexture, millimetres: list[float], tolerance: float) -> Message:
    worst = int(np.argmax(millimetres))
    return Message(
        "'{clip}' is up to {found:.2f} mm off, more than {tolerance:g} mm: numbers are rounded to {format}, or "
        "a bone turns too fast between samples; choose --format float32, or a larger --tolerance.",
        clip=texture.clips.clips[worst].name,
        found=millimetres[worst],
        tolerance=tolerance,
        format=texture.pixel_format.value,
    )


def _told(texture: BoneTexture, character: TexturedCharacter, millimetres: list[float]) -> list[str]:
    height, width, _ = texture.pixels.shape
    size = texture.pixels.nbytes
    vertices = sum(one.binding.mesh.vertex_count for one in character.meshes)
    samples = int(texture.clips.counts.sum())
    of_vertices = vertices * samples * NUMBERS_PER_VERTEX * texture.pixels.itemsize
    bones, rows = counted(len(texture.bones), "bone", "bones"), counted(samples, "sample", "samples")
    shape = f"{width} x {height} pixels of {texture.pixel_format.value}"
    lines = [
        f"{character.name}: {bones}, {rows}, {shape}, {size / 1e6:.2f} MB.",
        "Distances are of a character 1.8 m tall.",
    ]
    for number, clip in enumerate(character.clips):
        count = int(texture.clips.counts[number])
        rate = (count - 1) / clip.duration if clip.duration else 0
        lines.append(
            f"'{clip.name}': {clip.duration:.2f} s, {rate:.0f} samples a second, no vertex more than "
            f"{millimetres[number]:.3f} mm off."
        )
    vertex_count = counted(vertices, "vertex", "vertices")
    times = f"{of_vertices / size:.0f} times as much"
    return [
        *lines,
        f"A texture of the positions and normals of its {vertex_count} would take {times}.",
    ]
