"""Passing display presets on as files, and taking them over."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import bpy
from bpy.props import BoolProperty, StringProperty

from ...core.text.errors import SkinscopeError, UsageError
from ...core.text.message import Message
from ...viewport.choices.translation import translated_report
from ..settings.properties import scene_settings
from .preset_files import SUFFIX, read_preset, write_preset
from .presets import FOLDER


class _WithPresetFile:
    """Operators that ask for a preset's file; `run` does the work, and raises SkinscopeError."""

    filepath: StringProperty(
        name="File Path", description="File of the preset", subtype="FILE_PATH", default=""
    )
    filter_glob: StringProperty(default=f"*{SUFFIX}", options={"HIDDEN"})

    if TYPE_CHECKING:

        def report(self, _kind: set[str], _message: str) -> None: ...

        def run(self, context: bpy.types.Context, path: Path) -> Message: ...

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        context.window_manager.fileselect_add(self)  # pyright: ignore[reportArgumentType]
        return {"RUNNING_MODAL"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        try:
            if not self.filepath:
                raise UsageError("No file is chosen; choose one.")
            told = self.run(context, Path(bpy.path.abspath(self.filepath)))
        except SkinscopeError as error:
            self.report({"ERROR"}, translated_report(error.args[0]))
            return {"CANCELLED"}
        self.report({"INFO"}, translated_report(told))
        return {"FINISHED"}


class SKINSCOPE_OT_display_preset_export(_WithPresetFile, bpy.types.Operator):
    """Write the display settings to a file, to pass them on"""

    bl_idname = "skinscope.display_preset_export"
    bl_label = "Export Preset..."
    bl_options: ClassVar = {"REGISTER"}

    check_existing: BoolProperty(default=True, options={"HIDDEN"})
    filename_ext = SUFFIX

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if not self.filepath:
            self.filepath = f"display{SUFFIX}"
        return super().invoke(context, event)

    def check(self, _context: bpy.types.Context) -> bool:
        """Show the name of the file to be written while typing, so that Blender warns if it exists."""
        named = bpy.path.ensure_ext(self.filepath, SUFFIX)
        changed = named != self.filepath
        self.filepath = named
        return changed

    def run(self, context: bpy.types.Context, path: Path) -> Message:
        # Callers from Python have not seen the field.
        path = Path(bpy.path.ensure_ext(str(path), SUFFIX))
        write_preset(path, scene_settings(context.scene))
        return Message("Wrote the display preset '{name}'", name=path.stem)


class SKINSCOPE_OT_display_preset_import(_WithPresetFile, bpy.types.Operator):
    """Take over the display settings of a file, and add them to the presets"""

    bl_idname = "skinscope.display_preset_import"
    bl_label = "Import Preset..."
    bl_options: ClassVar = {"REGISTER", "UNDO"}

    def run(self, context: bpy.types.Context, path: Path) -> Message:
        settings = scene_settings(context.scene)
        for name, value in read_preset(path).items():
            setattr(settings, name, value)
        name = _free_name(path.stem)
        bpy.ops.skinscope.display_preset_add(name=name)  # pyright: ignore[reportAttributeAccessIssue]
        return Message("Added the display preset '{name}'", name=name)


def _free_name(name: str) -> str:
    """Return a name that no preset has yet: undo does not bring an overwritten one back."""
    taken = {path.stem for folder in bpy.utils.preset_paths(FOLDER) for path in Path(folder).glob("*.py")}
    number, free = 1, name
    while bpy.path.clean_name(free).lower() in {one.lower() for one in taken}:
        number += 1
        free = f"{name} {number}"
    return free
