"""A character written as a bone texture: what `skinscope bone-texture` and the operator of the panel do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np

from ...animation.bone_rows import with_ancestors
from ...animation.bone_textures import BoneTexture, Storage
from ...animation.crowd.strides import STANDARD_HEIGHT
from ...animation.pixel_format import BoneSpace, Layout, PixelFormat, Storing
from ...core.text.message import Message, counted
from ...scene.crowd.exr_picture import exr_content
from ...scene.crowd.textured_character import TexturedCharacter
from ..program.output_files import Outputs
from .texture_files import MANIFEST, MESH, PICTURE, PIXELS, loops, manifest_text, mesh_content
from .unreal_files import FILES, UnrealTexture

MILLIMETRES = 1000

NUMBERS_PER_VERTEX = 8
"""Of a vertex animation texture: a pixel for the position, and one for the normal."""


@dataclass(frozen=True)
class TextureOptions:
    """tolerance: in millimetres, were the character 1.8 m tall."""

    layout: Layout
    stored: Storage
    storing: Storing
    tolerance: float

    def problem(self) -> str:
        """Return why these don't go together, as a sentence about the command's options; empty if they do."""
        stored = self.stored
        is_unorm = stored.pixel_format is PixelFormat.UNORM16
        if stored.space is BoneSpace.PARENT and is_unorm:
            return (
                "unorm16 holds movements from rest; choose --format float32 or half for --relative-to parent."
            )
        if self.storing is Storing.EXR and is_unorm:
            return "OpenEXR has no unorm16; choose --format float32 or half, or --pixels raw."
        usual = stored.pixel_format is PixelFormat.FLOAT32 and stored.space is BoneSpace.REST
        if self.layout is Layout.ANIM_TO_TEXTURE and not (usual and self.storing is Storing.RAW):
            return "AnimToTexture has a format of its own; leave out --format, --pixels and --relative-to."
        return ""


@dataclass(frozen=True, eq=False)
class PlannedTexture:
    """What is to be written, and how far off that is: known before anything is.

    lines: sentences about it. files: their names. worst: millimetres, were the character 1.8 m tall. too_far:
    said if that is beyond the tolerance.
    """

    lines: tuple[str, ...]
    files: tuple[str, ...]
    worst: float
    too_far: Message | None
    _write: Callable[[Outputs, Path], None]

    def write(self, folder: Path) -> None:
        """Write the files into a folder.

        Raises:
            OutputError: one can't be written.
        """
        with Outputs() as outputs:
            self._write(outputs, folder)


def plan_texture(
    scene: bpy.types.Scene, character: TexturedCharacter, options: TextureOptions
) -> PlannedTexture:
    """Sample a character's clips. scene: the character's.

    Raises:
        ClipError, BindingError: the character can't be written so.
    """
    if options.layout is Layout.ANIM_TO_TEXTURE:
        return _for_unreal(scene, character, options)
    texture = _texture(character, options)
    boxes = character.boxes
    deviations = [texture.deviation(number, boxes) for number in range(len(character.clips))]
    is_picture = options.storing is Storing.EXR
    pixels_file = PICTURE if is_picture else PIXELS

    def write(outputs: Outputs, folder: Path) -> None:
        pixels = exr_content(texture.pixels) if is_picture else texture.pixels.tobytes()
        outputs.content(folder / pixels_file, pixels)
        outputs.content(folder / MESH, mesh_content(texture, character))
        found = list(zip(deviations, closing, strict=True))
        outputs.text(folder / MANIFEST, manifest_text(texture, character, found, pixels_file))

    millimetres = [one * _millimetres(character) for one in deviations]
    is_far = max(millimetres) > options.tolerance
    closing = loops(character)
    return PlannedTexture(
        tuple(_told(texture, character, millimetres)),
        (MANIFEST, pixels_file, MESH),
        max(millimetres),
        _too_far(texture, millimetres, options.tolerance) if is_far else None,
        write,
    )


def _for_unreal(
    scene: bpy.types.Scene, character: TexturedCharacter, options: TextureOptions
) -> PlannedTexture:
    texture, tolerance = UnrealTexture.of(character, scene, options.stored.largest), options.tolerance
    height, width, _ = texture.frames.positions.shape
    bones = counted(len(texture.bones), "bone", "bones")
    frames = counted(int(texture.clips.counts.sum()), "frame", "frames")
    millimetres = [one * _millimetres(character) for one in texture.deviations]
    worst = int(np.argmax(millimetres))
    lines = (
        f"{character.name}: {bones}, {frames}, {width} x {height} pixels of 16 bits.",
        "Distances are of a character 1.8 m tall, at whole frames.",
        *(
            f"'{clip.name}': {clip.duration:.2f} s, no vertex more than {distance:.3f} mm off."
            for clip, distance in zip(character.clips, millimetres, strict=True)
        ),
    )
    too_far = Message(
        "'{clip}' is up to {found:.2f} mm off, more than {tolerance:g} mm: AnimToTexture rounds positions and "
        "turns to 16 bits, weights to 8, and takes four bones for a vertex.",
        clip=character.clips[worst].name,
        found=millimetres[worst],
        tolerance=tolerance,
    )
    return PlannedTexture(
        lines,
        FILES,
        millimetres[worst],
        too_far if millimetres[worst] > tolerance else None,
        lambda outputs, folder: texture.write(outputs, folder, character),
    )


def _texture(character: TexturedCharacter, options: TextureOptions) -> BoneTexture:
    bones = character.bones
    if options.stored.space is BoneSpace.PARENT:
        bones = with_ancestors(character.skeleton.parents, bones)
    return BoneTexture.within(
        character.skeleton,
        character.clips,
        bones,
        character.root_to_file,
        options.stored,
        boxes=character.boxes,
        tolerance=options.tolerance / _millimetres(character),
    )


def _millimetres(character: TexturedCharacter) -> float:
    """Return how many millimetres a metre is, were the character 1.8 m tall."""
    return MILLIMETRES * STANDARD_HEIGHT / (character.height or STANDARD_HEIGHT)


def _too_far(texture: BoneTexture, millimetres: list[float], tolerance: float) -> Message:
    worst = int(np.argmax(millimetres))
    numbers = {"clip": texture.clips.clips[worst].name, "found": millimetres[worst], "tolerance": tolerance}
    if texture.pixel_format is PixelFormat.FLOAT32:
        return Message(
            "'{clip}' is up to {found:.2f} mm off, more than {tolerance:g} mm: a bone turns too fast between "
            "samples; choose --relative-to parent, which may do better, or a larger --tolerance.",
            **numbers,
        )
    return Message(
        "'{clip}' is up to {found:.2f} mm off, more than {tolerance:g} mm: numbers are rounded to {format}, or "
        "a bone turns too fast between samples; choose --format float32, or a larger --tolerance.",
        format=texture.pixel_format.value,
        **numbers,
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
