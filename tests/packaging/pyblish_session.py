"""Publishes a file with the plug-ins, as a person with pyblish's window does: publish, select, repair, publish again.
Prints what happened as JSON. Arguments: the plug-ins' folder, and the file.
"""

from __future__ import annotations

import json
import sys

import bpy
import pyblish.api  # pyright: ignore[reportMissingImports] - the test installs it
import pyblish.util  # pyright: ignore[reportMissingImports]
import skinscope.skinning_addon  # pyright: ignore[reportMissingImports]


def published() -> tuple[pyblish.api.Context, list[str]]:
    context = pyblish.util.publish()
    return context, [str(one["error"]) for one in context.data["results"] if one["error"] is not None]


def pressed(context: pyblish.api.Context, action: str) -> None:
    (plugin,) = (one for one in pyblish.api.discover() if one.__name__ == "ValidateSkinscope")
    (chosen,) = (one for one in plugin.actions if one.label == action)
    chosen().process(context, plugin)


plugins, file = sys.argv[1:]
bpy.ops.wm.open_mainfile(filepath=file)
skinscope.skinning_addon.register()
pyblish.api.register_host("python")
pyblish.api.register_plugin_path(plugins)
context, errors = published()
pressed(context, "Select Invalid")
selected = {
    one.name: [vertex.index for vertex in one.data.vertices if vertex.select]
    for one in bpy.context.view_layer.objects
    if one.type == "MESH" and one.select_get()
}
unchanged = not bpy.data.is_dirty and bpy.data.filepath == file
pressed(context, "Repair")
_, left = published()
told = {
    "instances": [[one.name, one.data["families"], one.data["meshes"]] for one in context],
    "errors": errors,
    "selected": selected,
    "unchanged": unchanged,
    "left": left,
}
print(json.dumps(told))
