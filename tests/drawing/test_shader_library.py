"""Every shader compiles, and one that doesn't names its file and line."""

from __future__ import annotations

import itertools
import os
import shutil

import gpu
import pytest

from skinning_addon.core.skinning.passes import Blend
from skinning_addon.core.text.errors import ShaderError
from skinning_addon.drawing import shader_library
from skinning_addon.drawing.displays import DISPLAYS
from skinning_addon.drawing.native_output import captured_native_output, flush_streams
from skinning_addon.drawing.normal_policy import NormalPolicy
from skinning_addon.drawing.palette_rows import ROWS_OF_JOINT, entries_per_space
from skinning_addon.drawing.shader_library import ShaderVariant, compile_shader, compiled_shader, free_shaders
from skinning_addon.drawing.shader_source import SHADER_FOLDER

MAINS = [
    ("probe.vert.glsl", "probe.frag.glsl", ()),
    *(
        ("draw.vert.glsl", display.fragment, (("vertex_value", display.vertex_value),))
        for display in DISPLAYS
    ),
]


def variant_of(main, palette="uniform", influences="four", blend=Blend.LINEAR, normals=NormalPolicy.COFACTOR):
    vertex, fragment, parts = main
    storage = (
        ("palette", f"lib/palette_{palette}.glsl"),
        ("influences", f"lib/influences_{influences}.glsl"),
        ("gradients", f"lib/gradients_{influences}.glsl"),
        ("normals", normals.value),
    )
    defines = {
        "PASS_COUNT": "2u",
        "ROWS_PER_JOINT": f"{ROWS_OF_JOINT[blend]}u",
        "ENTRIES_PER_SPACE": f"{entries_per_space(ROWS_OF_JOINT[blend])}u",
        "RUN_START_PASSES": "2u",
        "WEIGHT_CHANGES": "1u" if normals is NormalPolicy.WEIGHT_GRADIENT else "0u",
        "VOLUME_PASSES": "1u" if blend is Blend.VOLUME else "0u",
        "DUAL_QUATERNION_PASSES": "1u" if blend is Blend.DUAL_QUATERNION else "0u",
    }
    return ShaderVariant(vertex, fragment, (*storage, *parts), tuple(defines.items()))


@pytest.mark.gpu
@pytest.mark.parametrize("palette", ["uniform", "texture", "instances"])
@pytest.mark.parametrize("influences", ["four", "eight", "texture"])
@pytest.mark.parametrize("blend", Blend)
def test_every_variant_compiles_silently(palette, influences, blend, capfd):
    for main in MAINS:
        compile_shader(variant_of(main, palette, influences, blend))
    assert capfd.readouterr() == ("", "")


@pytest.mark.gpu
@pytest.mark.parametrize("normals", NormalPolicy)
@pytest.mark.parametrize("influences", ["four", "eight", "texture"])
@pytest.mark.parametrize("blend", Blend)
def test_every_way_of_turning_normals_compiles_silently(influences, normals, blend, capfd):
    for main in MAINS[:2]:
        compile_shader(variant_of(main, influences=influences, blend=blend, normals=normals))
    assert capfd.readouterr() == ("", "")


@pytest.mark.gpu
@pytest.mark.parametrize("fragment", ["rectangle.frag.glsl", "legend.frag.glsl"])
def test_the_shaders_of_pixel_space_compile(fragment):
    compile_shader(ShaderVariant("rectangle.vert.glsl", fragment))


@pytest.mark.gpu
def test_a_variant_is_compiled_once_until_it_is_freed(monkeypatch):
    compiled = []
    monkeypatch.setattr(
        shader_library, "compile_shader", lambda variant: compiled.append(variant) or object()
    )
    monkeypatch.setattr(shader_library, "_compiled", {})
    first = compiled_shader(variant_of(MAINS[0]))
    assert compiled_shader(variant_of(MAINS[0])) is first
    assert compiled_shader(variant_of(MAINS[0], "texture")) is not first
    assert len(compiled) == 2
    free_shaders()
    assert compiled_shader(variant_of(MAINS[0])) is not first


@pytest.fixture
def shader_copy(tmp_path):
    folder = tmp_path / "gpu_shaders"
    shutil.copytree(SHADER_FOLDER, folder)
    return folder


def break_line(folder, file, line_with, broken):
    """Replace the line that holds `line_with` by `broken`; return its number."""
    path = folder / file
    lines = path.read_text(encoding="utf-8").split("\n")
    [number] = [number for number, line in enumerate(lines, 1) if line_with in line]
    lines[number - 1] = broken
    path.write_text("\n".join(lines), encoding="utf-8")
    return number


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("file", "line_with", "broken_and_told"),
    [
        (
            "lib/skinning.glsl",
            "SkinnedVertex runStart = current;",
            ("  SkinnedVertex runStart = foo;", "foo"),
        ),
        (
            "lib/joint_rows.glsl",
            "uint row = joint * ROWS_PER_JOINT;",
            ("  uint row = nowhere * 3u;", "nowhere"),
        ),
        ("lib/palette_uniform.glsl", "return skinPalette", ("  return skinPalette.lines[row];", "lines")),
        (
            "lib/directions.glsl",
            "vec3 size = abs(direction);",
            ("  vec3 size = abs(elsewhere);", "elsewhere"),
        ),
        ("draw.vert.glsl", "viewNormal = ", ("  viewNormal = vec3(0.0) +;", "syntax")),
        ("heat_map.frag.glsl", "float number = ", ("  float number = fwidth();", "fwidth")),
        ("lib/heat_scale.glsl", "int below", ("  int below = vec3(1.0);", "vec")),
        ("lib/display_output.glsl", "fragmentColor = ", ("  fragmentcolor = vec4(1.0);", "fragmentcolor")),
    ],
)
def test_an_error_names_file_and_line(shader_copy, file, line_with, broken_and_told, capfd):
    broken, told = broken_and_told
    number = break_line(shader_copy, file, line_with, broken)
    main = next(main for main in MAINS if main[1] == file) if ".frag" in file else MAINS[2]
    with pytest.raises(ShaderError) as error:
        compile_shader(variant_of(main), shader_copy)
    assert f"{file}:{number}: " in str(error.value)
    assert told in str(error.value)
    assert capfd.readouterr() == ("", ""), "nothing is printed besides"


@pytest.mark.gpu
def test_an_unfinished_file_is_named(shader_copy):
    path = shader_copy / "probe.frag.glsl"
    path.write_text(path.read_text(encoding="utf-8").rstrip().removesuffix("}"), encoding="utf-8")
    with pytest.raises(ShaderError, match=r"probe\.frag\.glsl"):
        compile_shader(variant_of(MAINS[0]), shader_copy)


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("file", "line_with", "broken"),
    [
        ("probe.vert.glsl", "void main()", "void mein()"),
        ("lib/palette_uniform.glsl", "#resource uniform_buf", "#resource uniform_buf Missing skinPalette"),
        ("probe.vert.glsl", "IVEC2", "#resource push_constant IVEC9 probeTargetSize"),
    ],
)
def test_an_error_outside_of_any_line_names_the_shader(shader_copy, file, line_with, broken):
    break_line(shader_copy, file, line_with, broken)
    with pytest.raises(ShaderError, match=r"probe\.vert\.glsl"):
        compile_shader(variant_of(MAINS[0]), shader_copy)


@pytest.mark.gpu
def test_an_error_in_each_stage_is_found(shader_copy):
    one = break_line(shader_copy, "lib/output_color.glsl", "vec3 low = 12.92", "  vec2 low = 12.92 * color;")
    with pytest.raises(ShaderError, match=rf"lib/output_color\.glsl:{one}: "):
        compile_shader(ShaderVariant("rectangle.vert.glsl", "rectangle.frag.glsl"), shader_copy)
    two = break_line(shader_copy, "rectangle.vert.glsl", "rectanglePlace = corner", "  rectanglePlace = 1.0;")
    with pytest.raises(ShaderError, match=rf"rectangle\.vert\.glsl:{two}: "):
        compile_shader(ShaderVariant("rectangle.vert.glsl", "rectangle.frag.glsl"), shader_copy)


@pytest.mark.gpu
def test_a_shader_that_compiles_again_draws_again(shader_copy):
    number = break_line(shader_copy, "probe.frag.glsl", "positionTarget = ", "  broken;")
    for _ in range(2):
        with pytest.raises(ShaderError, match=str(number)):
            compile_shader(variant_of(MAINS[0]), shader_copy)
    assert isinstance(compile_shader(variant_of(MAINS[0])), gpu.types.GPUShader)


def test_native_output_is_captured_and_given_back(capfd):
    # What C has held back since before, a desktop Blender's greeting, is sent out first, and not captured.
    flush_streams()
    capfd.readouterr()
    with captured_native_output() as output:
        os.write(1, b"one\n")
        os.write(2, b"two\n")
    os.write(1, b"three\n")
    assert output.text.split() == ["one", "two"]
    assert capfd.readouterr() == ("three\n", "")


def test_native_output_is_given_back_after_an_error(capfd):
    with pytest.raises(RuntimeError), captured_native_output():
        raise RuntimeError
    os.write(1, b"heard\n")
    assert capfd.readouterr().out == "heard\n"


def test_the_grid_of_variants_names_existing_files():
    for palette, influences in itertools.product(("uniform", "texture"), ("four", "eight", "texture")):
        for _, file in variant_of(MAINS[0], palette, influences).parts:
            assert (SHADER_FOLDER / file).is_file()
