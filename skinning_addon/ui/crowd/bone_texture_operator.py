"""The operator that writes a character's clips as a bone texture."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, StringProperty

from ...animation.bone_textures import Storage
from ...animation.pixel_format import BoneSpace, Layout, PixelFormat, Storing
from ...command_line.program.output_files import filled_folder
from ...command_line.texturing.written_texture import TextureOptions, plan_texture
from ...core.text.errors import SkinscopeError
from ...core.text.message import Message
from ...scene.crowd.textured_character import read_textured
from ...viewport.choices.translation import translated, translated_report
from .crowd_operators import armature_of_selection


class SKINSCOPE_OT_bone_texture(bpy.types.Operator):
    """Write the clips of the active armature as a texture of its bones, from which engines draw crowds"""

    bl_idname = "skinscope.bone_texture"
    bl_label = "Export Bone Texture"
    bl_options: ClassVar = {"REGISTER"}

    directory: StringProperty(
        name="Folder", description="Folder to write the files to", subtype="DIR_PATH", options={"SKIP_SAVE"}
    )
    filter_folder: BoolProperty(default=True, options={"HIDDEN"})
    layout_for: EnumProperty(
        name="Layout",
        description="Whose reader the files are for",
        items=(
            (Layout.SKINSCOPE.value, "Skinscope", "With readers for three.js and GLSL in the manual"),
            (Layout.ANIM_TO_TEXTURE.value, "AnimToTexture", "Unreal's plug-in, in its bone mode"),
        ),
    )
    pixel_format: EnumProperty(
        name="Numbers",
        description="How each number is stored",
        items=(
            (PixelFormat.FLOAT32.value, "32-bit Float", "As exact as the pose"),
            (PixelFormat.HALF.value, "16-bit Float", "Half the size; about 1 mm off on a person"),
            (PixelFormat.UNORM16.value, "16-bit Quaternions", "A third of the size, without scale and shear"),
        ),
    )
    space: EnumProperty(
        name="Relative To",
        description="What a bone's numbers are relative to",
        items=(
            (BoneSpace.REST.value, "Rest Pose", "All that a vertex needs, in one step"),
            (BoneSpace.PARENT.value, "Parent", "Clips fade as an animation controller blends them"),
        ),
    )
    storing: EnumProperty(
        name="File",
        description="How the pixels are stored",
        items=(
            (Storing.RAW.value, "Raw", "Numbers, row after row"),
            (Storing.EXR.value, "OpenEXR", "A picture, for engines that import pictures"),
        ),
    )
    tolerance: FloatProperty(
        name="Tolerance (mm)",
        description="How far any vertex may be off between two samples, in millimetres on a person of 1.8 m; "
        "decides how many samples there are",
        min=0.001,
        soft_min=0.01,
        soft_max=10.0,
        default=1.0,
        precision=3,
    )
    largest: IntProperty(
        name="Largest Size",
        description="Pixels that the texture may be wide and high",
        min=16,
        max=32768,
        default=8192,
        subtype="PIXEL",
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        found = armature_of_selection(context)
        if found is None or found.type != "ARMATURE":
            cls.poll_message_set(translated(Message("Select an armature, or a mesh that it deforms")))
            return False
        if context.mode not in {"OBJECT", "POSE"}:
            cls.poll_message_set(translated(Message("Go to Object Mode or Pose Mode")))
            return False
        return True

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        context.window_manager.fileselect_add(self)  # pyright: ignore[reportArgumentType]
        return {"RUNNING_MODAL"}

    def draw(self, _context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(self, "layout_for")
        column = layout.column()
        column.active = self.layout_for == Layout.SKINSCOPE.value
        for name in ("pixel_format", "space", "storing", "tolerance", "largest"):
            column.prop(self, name)

    def execute(self, context: bpy.types.Context) -> set[str]:
        armature = armature_of_selection(context)
        if armature is None or not self.directory:
            self.report({"ERROR"}, translated(Message("Choose a folder to write to.")))
            return {"CANCELLED"}
        options = self._options()
        if options is None:
            return {"CANCELLED"}
        if context.window is not None:
            context.window.cursor_set("WAIT")
        try:
            with filled_folder(bpy.path.abspath(self.directory)) as folder:
                character = read_textured(context.scene, (), armature, rests=False)
                planned = plan_texture(context.scene, character, options)
                planned.write(folder)
        except SkinscopeError as error:
            self.report({"ERROR"}, translated_report(error.args[0]))
            return {"CANCELLED"}
        finally:
            if context.window is not None:
                context.window.cursor_set("DEFAULT")
        told = Message(
            "{clips} clips written to '{folder}'; on a person of 1.8 m no vertex is more than {worst:.2f} mm "
            "off.",
            clips=len(character.clips),
            folder=Path(folder).name,
            worst=planned.worst,
        )
        for note in character.notes:
            self.report({"WARNING"}, translated_report(note))
        self.report({"INFO" if planned.too_far is None else "WARNING"}, translated_report(told))
        return {"FINISHED"}

    def _options(self) -> TextureOptions | None:
        """Return what was chosen; what AnimToTexture has no choice of is as usual."""
        layout = Layout(self.layout_for)
        stored = Storage(PixelFormat(self.pixel_format), self.largest, BoneSpace(self.space))
        storing = Storing(self.storing)
        if layout is Layout.ANIM_TO_TEXTURE:
            stored, storing = Storage(PixelFormat.FLOAT32, self.largest), Storing.RAW
        if stored.pixel_format is PixelFormat.UNORM16 and (
            stored.space is BoneSpace.PARENT or storing is Storing.EXR
        ):
            told = Message(
                "16-bit quaternions are movements from the rest pose, in a raw file; choose other numbers."
            )
            self.report({"ERROR"}, translated(told))
            return None
        return TextureOptions(layout, stored, storing, self.tolerance)
