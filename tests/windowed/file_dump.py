"""Runs inside Blender: dumps the settings of the open file's scenes and objects as lines of text."""

import bpy

KINDS = ("scenes", "objects", "meshes", "armatures", "actions", "collections", "materials")
NOT_SAVED = {"session_uid", "is_evaluated"}


def dump_file() -> list[str]:
    lines = []
    for kind in KINDS:
        for block in getattr(bpy.data, kind):
            lines += dump_struct(f"{kind}[{block.name!r}]", block)
    for one in bpy.data.objects:
        for modifier in one.modifiers:
            lines += dump_struct(f"{one.name}.modifiers[{modifier.name!r}]", modifier)
        for bone in one.pose.bones if one.pose else ():
            lines += dump_struct(f"{one.name}.pose.bones[{bone.name!r}]", bone)
    for scene in bpy.data.scenes:
        lines += dump_struct(f"{scene.name}.skinscope", scene.skinscope)
        for layer in scene.view_layers:
            lines += dump_struct(f"{scene.name}.view_layers[{layer.name!r}]", layer)
            lines += [
                f"{layer.name}.objects[{one.name!r}] = {one.hide_get(), one.select_get(), one.visible_get()}"
                for one in layer.objects
            ]
    return lines


def dump_struct(path: str, struct: bpy.types.bpy_struct) -> list[str]:
    """Dump a struct without what it points to or contains: some of Blender's structs crash it when a script
    reads them.
    """
    lines = []
    for one in struct.bl_rna.properties:
        if one.type not in {"POINTER", "COLLECTION"} and one.identifier not in NOT_SAVED:
            value = getattr(struct, one.identifier)
            lines.append(
                f"{path}.{one.identifier} = {list(value) if getattr(one, 'is_array', False) else value}"
            )
    return lines
