"""Playing an armature's script, and reading and writing it as a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import ClassVar

import bpy
from bpy.props import BoolProperty, StringProperty

from ...animation.script import check_clips
from ...animation.script_file import in_file, read_script, script_text
from ...core.text.errors import OutputError, ScriptError
from ...core.text.message import Message
from ...viewport.choices.translation import translated
from ...viewport.session import current_session
from ..clips.animation_operators import BakesClips, OnArmature, start_previews
from ..clips.clip_listing import list_if_needed
from ..settings.animation_settings import armature_in_focus
from ..settings.clip_lists import clip_names
from .script_player import checked_script, new_script_player, script_player, unbaked_clips_of_script
from .script_properties import keep_script

SUFFIX = ".toml"

WHAT_PLAYS_FIRST = Message("Play the tracks first")


class SKINSCOPE_OT_script_play(BakesClips, bpy.types.Operator):
    """Play the tracks in the preview as a game's animation controller does, or pause them; the armature is not posed"""  # noqa: E501 - a tooltip

    bl_idname = "skinscope.script_play"
    bl_label = "Play Tracks"
    bl_options: ClassVar = {"REGISTER"}

    def clips_to_bake(self, armature: bpy.types.Object) -> list[str]:
        return unbaked_clips_of_script(armature) if self.needs_list(armature) else []

    def needs_list(self, armature: bpy.types.Object) -> bool:
        player = script_player(armature)
        return player is None or not player.playing or bool(player.error)

    def use(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        players, player = current_session().players, script_player(armature)
        if player is not None and player.playing and not player.error:
            players.play(player, playing=False)
            return
        if player is None or player.error or len(player.to_root) != len(armature.pose.bones):
            player = new_script_player(armature)
        elif player.plan is not None and player.controller.now >= player.plan.seconds:
            players.go_to(player.uid, 0.0)
        players.mark(player.uid)
        start_previews(context, armature)
        players.play(player, playing=True)


class SKINSCOPE_OT_script_rewind(OnArmature, bpy.types.Operator):
    """Go back to the start of the script"""

    bl_idname = "skinscope.script_rewind"
    bl_label = "Rewind Tracks"
    bl_options: ClassVar = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not super().poll(context):
            return False
        armature = armature_in_focus(context)
        if armature is not None and script_player(armature) is not None:
            return True
        cls.poll_message_set(translated(WHAT_PLAYS_FIRST))
        return False

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:  # noqa: ARG002
        current_session().players.go_to(armature.session_uid, 0.0)


class _WithFile(OnArmature):
    """Operators that ask for a script's file."""

    filepath: StringProperty(
        name="File Path", description="File of the script", subtype="FILE_PATH", default=""
    )
    filter_glob: StringProperty(default=f"*{SUFFIX}", options={"HIDDEN"})

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        armature = armature_in_focus(context)
        if not self.filepath and armature is not None:
            self.filepath = f"{bpy.path.clean_name(armature.name)}{SUFFIX}"
        context.window_manager.fileselect_add(self)  # pyright: ignore[reportArgumentType]
        return {"RUNNING_MODAL"}

    def chosen_path(self) -> Path:
        """Return the file.

        Raises:
            ScriptError: none was named.
        """
        if not self.filepath:
            raise ScriptError("No file is chosen; choose one.")
        return Path(bpy.path.abspath(self.filepath))


class SKINSCOPE_OT_script_load(_WithFile, bpy.types.Operator):
    """Replace the tracks and keys with those of a script file, as 'skinscope play --script' reads it"""

    bl_idname = "skinscope.script_load"
    bl_label = "Load Script..."
    bl_options: ClassVar = {"REGISTER", "UNDO"}

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        path = self.chosen_path()
        script = read_script(path)
        list_if_needed(context.scene, armature)
        try:
            check_clips(script, clip_names(armature))
        except ScriptError as error:
            raise in_file(path, error) from error
        keep_script(armature, script)
        current_session().players.mark(armature.session_uid)


class SKINSCOPE_OT_script_save(_WithFile, bpy.types.Operator):
    """Write the tracks and keys to a script file that 'skinscope play --script' can play"""

    bl_idname = "skinscope.script_save"
    bl_label = "Save Script..."
    bl_options: ClassVar = {"REGISTER"}

    check_existing: BoolProperty(default=True, options={"HIDDEN"})
    filename_ext = SUFFIX

    def check(self, _context: bpy.types.Context) -> bool:
        """Show the name of the file to be written while typing, so that Blender warns if it exists."""
        named = _with_suffix(self.filepath)
        changed = named != self.filepath
        self.filepath = named
        return changed

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:  # noqa: ARG002
        text = script_text(checked_script(armature))
        # Callers from Python have not seen the field.
        self.filepath = _with_suffix(self.filepath)
        path = self.chosen_path()
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise OutputError(
                "'{path}' can't be written ({reason}); choose another location.",
                path=path,
                reason=error.strerror or error,
            ) from error


def _with_suffix(filepath: str) -> str:
    """Return a name with its suffix replaced by that of scripts, as Blender's exporters do; a folder
    unchanged.
    """
    # Not pathlib, which alters Blender's own paths, such as //mine.
    if not os.path.basename(filepath):  # noqa: PTH119
        return filepath
    return bpy.path.ensure_ext(os.path.splitext(filepath)[0], SUFFIX)  # noqa: PTH122
