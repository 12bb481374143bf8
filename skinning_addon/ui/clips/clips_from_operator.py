"""Clips from another file for the armature in focus."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import bpy
from bpy.props import BoolProperty, StringProperty

from ...core.text.errors import ClipError, SkinscopeError
from ...core.text.message import Message
from ...scene.brought.brought_clips import BroughtClips, bring_clips
from ...scene.brought.clip_package_process import packed_elsewhere
from ...scene.files import IMPORTERS
from ...viewport.choices.translation import translated, translated_report
from ..settings.animation_settings import armature_in_focus
from ..settings.clip_lists import select_clip
from .animation_operators import WHAT_TO_SELECT
from .clip_listing import relist

MODES = ("OBJECT", "POSE")
"""In other modes Blender's undo covers only the edited data."""


class SKINSCOPE_OT_clips_from_file(bpy.types.Operator):
    """Import the clips of another file as new actions on muted NLA tracks of the armature, matched by bone name"""  # noqa: E501 - a tooltip

    bl_idname = "skinscope.clips_from_file"
    bl_label = "Clips from File..."
    bl_options: ClassVar = {"REGISTER", "UNDO"}

    filepath: StringProperty(
        name="File", description="File to import clips from", subtype="FILE_PATH", options={"SKIP_SAVE"}
    )
    filter_glob: StringProperty(
        default=";".join(f"*{one}" for one in (".blend", *IMPORTERS)), options={"HIDDEN"}
    )
    retarget: BoolProperty(
        name="Retarget",
        description="Where rest poses differ, turn each bone as it turns in the file instead of copying "
        "its keys unchanged",
        default=False,
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if armature_in_focus(context) is None:
            cls.poll_message_set(translated(WHAT_TO_SELECT))
            return False
        if context.mode not in MODES:
            cls.poll_message_set(translated(Message("Go to Object Mode or Pose Mode")))
            return False
        return True

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        context.window_manager.fileselect_add(self)  # pyright: ignore[reportArgumentType]
        return {"RUNNING_MODAL"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        armature = armature_in_focus(context)
        if armature is None:
            return {"CANCELLED"}
        if context.window is not None:
            context.window.cursor_set("WAIT")
        try:
            brought = self._bring(context.scene, armature)
        except SkinscopeError as error:
            self.report({"ERROR"}, translated_report(error.args[0]))
            return {"CANCELLED"}
        finally:
            if context.window is not None:
                context.window.cursor_set("DEFAULT")
        for one in brought.told:
            self.report({"WARNING" if one.loses else "INFO"}, translated_report(one.message))
        return {"FINISHED"}

    def _bring(self, scene: bpy.types.Scene, armature: bpy.types.Object) -> BroughtClips:
        if not self.filepath:
            raise ClipError("No file is chosen; choose one that has clips.")
        file = Path(bpy.path.abspath(self.filepath))
        if bpy.data.filepath and file.resolve() == Path(bpy.data.filepath).resolve():
            raise ClipError(
                "'{file}' is the open file, so its clips are here already; choose another one.",
                file=file.name,
            )
        with packed_elsewhere(file) as packed:
            brought = bring_clips(scene, [armature], packed, retarget=self.retarget)
        relist(scene, armature)
        for name in reversed(brought.names):
            select_clip(armature, name)
        return brought
