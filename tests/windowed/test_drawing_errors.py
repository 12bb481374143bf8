"""An error while drawing a preview stops that preview, is reported once, and affects nothing else."""

from __future__ import annotations

from tests.windowed.console import console
from tests.windowed.scenes import BENDING_BAR, START
from tests.windowed.view_pixels import ViewPixels, preview_mask


def test_an_error_while_drawing_switches_one_preview_off_and_is_told_once(shared_blender):
    blender = shared_blender
    blender.run(BENDING_BAR)
    blender.run(
        "other = bar.copy(); other.location.x = 1.5; bpy.context.scene.collection.objects.link(other)\n"
        "other.select_set(True)\n" + START
    )
    blender.screenshot()
    said_before = console(blender)
    blender.run(
        "from skinning_addon.viewport.character.mesh_in_layer import MeshInLayer\n"
        "drawn_well = MeshInLayer.draw\n"
        "def fail(live, *arguments, **keywords):\n"
        "    if live is next(iter(session.previews[0]._meshes_in_layers.values()), None): raise "
        "ZeroDivisionError('for a test')\n    drawn_well(live, *arguments, **keywords)\n"
        "MeshInLayer.draw = fail\n"
        "with view3d() as area: area.tag_redraw()"
    )
    try:
        view = ViewPixels.of(blender)
        assert preview_mask(view.cut(blender.screenshot())).any()
        blender.run("with view3d() as area: area.tag_redraw()")
        blender.screenshot()
        said = console(blender).removeprefix(said_before)
        assert said.count("ZeroDivisionError: for a test") == 1
        errors = blender.run("[one.error for one in session.previews]")
        assert "console" in errors[0]
        assert errors[1] == ""
    finally:
        # Other tests share this Blender.
        blender.run("MeshInLayer.draw = drawn_well")
    blender.run(START)
    assert blender.run("[one.error for one in session.previews]") == ["", ""]


BREAK_A_SHADER = """\
import shutil, tempfile
from pathlib import Path
from skinning_addon.drawing import shader_library
from skinning_addon.drawing.shader_source import SHADER_FOLDER
broken = Path(tempfile.mkdtemp(), "gpu_shaders")
shutil.copytree(SHADER_FOLDER, broken)
file = broken / "lib" / "normals_gradient.glsl"
file.write_text(file.read_text().replace("vec3 outward = cross(", "vec3 outward = crossed("))
intact = shader_library.compile_shader.__defaults__
shader_library.compile_shader.__defaults__ = (broken,)
shader_library.free_shaders()
"""


def test_a_shader_that_does_not_compile_stops_what_needs_it_and_nothing_else(shared_blender):
    """The shader of weights that fade is broken; a hat that hangs on the rig does not need it."""
    blender = shared_blender
    blender.run(BENDING_BAR)
    blender.run(
        "hat = bpy.data.objects.new('Hat', bpy.data.meshes.new_from_object(bar))\n"
        "bpy.context.scene.collection.objects.link(hat)\n"
        "hat.parent, hat.location.x = rig, 1.5\n"
        "hat.select_set(True)"
    )
    said_before = console(blender)
    blender.run(BREAK_A_SHADER + START)
    view = ViewPixels.of(blender)
    hat = preview_mask(view.cut(blender.screenshot()))
    assert hat[:, view.width // 2 :].sum() > 5_000, "the other preview goes on"
    errors = blender.run("{one.name: one.error for one in session.previews}")
    assert errors["Hat"] == ""
    assert "failed to compile" in errors["Bar"]
    assert "normals_gradient.glsl" in errors["Bar"]
    blender.run("bpy.context.scene.frame_set(15)")
    blender.screenshot()
    assert blender.run("{one.name: one.error for one in session.previews}") == errors
    said = console(blender).removeprefix(said_before).lower()
    assert "traceback" not in said, said
    assert said.count("crossed") <= 2, "it is told again with every redraw"
    blender.run(
        "shader_library.compile_shader.__defaults__ = intact; shader_library.free_shaders()\n"
        "shutil.rmtree(broken.parent)\n" + START
    )
    blender.screenshot()
    assert blender.run("[one.error for one in session.previews]") == ["", ""]
