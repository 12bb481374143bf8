"""`crowd --write`: lines and textures for engines, armatures and points for Blender."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import bpy

from ...animation.bone_textures import Storage
from ...animation.crowd.crowd import Crowd
from ...animation.pixel_format import BoneSpace, Layout, PixelFormat, Storing
from ...drawing.native_output import captured_native_output
from ...scene.crowd.character import Character
from ...scene.crowd.crowd_motion import MotionRecorder
from ...scene.crowd.keyed_crowd import keyed_scene
from ...scene.crowd.point_crowd import point_scene
from ...scene.crowd.textured_character import Z_UP_TO_Y_UP, TexturedCharacter
from ...scene.crowd.variants import Variant, troupes
from ...scene.crowd.written_scene import make_main_file, write_scene
from ..arguments.texture_arguments import LARGEST
from ..program.output_files import Outputs, filled_folder
from ..texturing.written_texture import TextureOptions, plan_texture
from .crowd_files import lines_text, texture_folders

TEXTURE_TOLERANCE = 1.0
"""In millimetres, were the character 1.8 m tall."""

LINES = "crowd.jsonl"
SCENES = {
    "armatures": ("crowd-armatures.blend", keyed_scene),
    "points": ("crowd-points.blend", point_scene),
}


class CrowdOut:
    """Notes a crowd as it plays, for what `--write` asks for."""

    def __init__(self, variants: Sequence[Variant], rate: float, wanted: Sequence[str]) -> None:
        """rate: frames a second. wanted: some of lines, texture, armatures and points."""
        self._variants, self._wanted = variants, wanted
        self._recorders = [
            MotionRecorder(one, rate, with_poses="armatures" in wanted) for one in troupes(variants) if wanted
        ]

    def note(self, crowd: Crowd) -> None:
        """Note the crowd as it is now."""
        for one in self._recorders:
            one.note(crowd)

    def write(self, outputs: Outputs, folder: Path, file: str, crowd: Crowd) -> list[str]:
        """Write what is wanted, and return the names; closes the open file if scenes are among it.

        file: the name of the characters' file.
        """
        motions = [one.motion() for one in self._recorders]
        motions = [one for one in motions if len(one.agents)]
        names: list[str] = []
        if "lines" in self._wanted:
            lines = "\n".join(lines_text(file, self._variants, crowd, motions)) + "\n"
            outputs.text(folder / LINES, lines)
            names.append(LINES)
        if "texture" in self._wanted:
            for one, place in zip(motions, texture_folders(len(motions)), strict=True):
                _write_texture(folder / place, one.troupe.character)
                names.append(f"{place}/bone-texture.json")
        scenes: list[Path] = []
        for what in (one for one in SCENES if one in self._wanted):
            name, make = SCENES[what]
            scene = make(bpy.context.scene, motions)
            scenes.append(outputs.path(folder / name))
            write_scene(scene, scenes[-1])
            bpy.data.scenes.remove(scene)
            names.append(name)
        # From here on the open file is another. Blender says that it was a library, which is ours.
        with captured_native_output():
            for path in scenes:
                make_main_file(path)
        return names


def _write_texture(folder: Path, character: Character) -> None:
    """Write a bone texture of the clips as the crowd plays them: feet planted, without what travels."""
    unit, body = character.metres_per_unit, character.body
    root_to_file = body.root_to_world @ Z_UP_TO_Y_UP
    root_to_file[:, :3] *= unit
    clips = tuple({one.clip.name: one.clip for one in character.strides}.values())
    textured = TexturedCharacter(character.name, body.skeleton, clips, character.meshes, root_to_file)
    stored = Storage(PixelFormat.FLOAT32, LARGEST, BoneSpace.PARENT)
    options = TextureOptions(Layout.SKINSCOPE, stored, Storing.RAW, TEXTURE_TOLERANCE)
    planned = plan_texture(bpy.context.scene, textured, options)
    with filled_folder(str(folder)) as made:
        planned.write(made)
