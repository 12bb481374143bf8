"""Shader files are assembled correctly, and everything that Blender can't report about them is reported."""

from __future__ import annotations

import re

import pytest

from skinning_addon.core.text.errors import ShaderError
from skinning_addon.drawing.influence_layout import INFLUENCE_TEXTURE_WIDTH
from skinning_addon.drawing.palette_buffer import PALETTE_TEXTURE_WIDTH, UNIFORM_ROWS
from skinning_addon.drawing.shader_source import SHADER_FOLDER, compose
from skinning_addon.drawing.source_texture import SOURCE_WIDTH

SHADER_FILES = sorted(SHADER_FOLDER.rglob("*.glsl"))

# Words that one of Blender's shading languages (GLSL, Metal's, SPIR-V's compiler) or its own macros take for
# themselves.
RESERVED = {
    *(
        "half",
        "sampler",
        "sample",
        "smooth",
        "flat",
        "float2",
        "float3",
        "float4",
        "class",
        "using",
        "thread",
    ),
    *("constant", "device", "kernel", "vertex", "fragment", "input", "output", "active", "filter", "common"),
    *("partition", "template", "this", "namespace", "texture", "buffer", "shared", "precise", "patch"),
}
DECLARED = re.compile(r"\b(?:float|u?int|bool|[iub]?vec[234]|mat[34])\s+(\w+)")


VECTOR_INPUT = re.compile(r"#resource vertex_in U?I?VEC(\d) (\w+)")


def write(folder, **files):
    for name, text in files.items():
        (folder / f"{name}.glsl").write_text(text, encoding="utf-8")
    return folder


def test_an_include_stands_where_it_is_written_and_once(tmp_path):
    write(tmp_path, main='a\n#include "b.glsl"\n#include "b.glsl"\nc\n', b="b\n")
    source = compose("main.glsl", {}, tmp_path)
    assert source.text.split() == ["a", "b", "c"]


def test_every_line_knows_where_it_came_from(tmp_path):
    write(tmp_path, main="a\n#include <middle>\nc\n", other="b1\n#resource vertex_in VEC3 p\nb2\n")
    source = compose("main.glsl", {"middle": "other.glsl"}, tmp_path)
    origins = {line: str(source.origin(number)) for number, line in enumerate(source.text.split("\n"), 1)}
    assert origins["a"] == "main.glsl:1"
    assert origins["b1"] == "other.glsl:1"
    assert origins["b2"] == "other.glsl:3"
    assert origins["c"] == "main.glsl:3"
    assert source.origin(0) is None
    assert source.origin(99) is None


def test_resources_of_included_files_are_gathered_once_each(tmp_path):
    write(
        tmp_path,
        main='#resource vertex_in VEC3 p\n#include "b.glsl"\n#resource sampler FLOAT_2D t\n',
        b="#resource vertex_in VEC3 p\n#resource varying flat FLOAT x\n",
    )
    resources = compose("main.glsl", {}, tmp_path).resources
    assert [(resource.kind, resource.name) for resource in resources] == [
        ("vertex_in", "p"),
        ("varying", "x"),
        ("sampler", "t"),
    ]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ('#include "missing.glsl"', "missing.glsl' can't be read"),
        ("#include <nothing>", "no file for the part <nothing>"),
        ("#include nonsense", "can't be read"),
        ("#resource vertex_in VEC3 too many", "can't be read"),
        ("#resource storage_buf VEC3 name", "can't be read"),
        ("#resource", "can't be read"),
    ],
)
def test_a_directive_that_can_not_be_followed_names_its_line(tmp_path, line, complaint):
    write(tmp_path, main=f"// header\n\n{line}\n")
    with pytest.raises(ShaderError, match=r"main\.glsl:3: ") as error:
        compose("main.glsl", {}, tmp_path)
    assert complaint in str(error.value)


def test_a_missing_shader_says_what_to_do(tmp_path):
    with pytest.raises(ShaderError, match="reinstall"):
        compose("main.glsl", {}, tmp_path)


@pytest.mark.parametrize("path", SHADER_FILES, ids=lambda path: path.name)
def test_shader_files_keep_to_what_every_backend_takes(path):
    text = path.read_text(encoding="utf-8")
    code = re.sub(r"//[^\n]*", "", text)
    assert text.startswith("// "), "says what it is"
    assert not re.search(
        r"^\s*(#version|#extension|layout|uniform|in|out|varying|attribute)\b", code, re.MULTILINE
    )
    names = set(DECLARED.findall(code)) | {
        line.split()[-1] for line in code.splitlines() if "#resource" in line
    }
    assert not names & RESERVED
    assert all(len(line) <= 120 for line in text.splitlines())


@pytest.mark.parametrize(
    ("file", "fragment"),
    [
        ("lib/palette_uniform.glsl", f"rows[{UNIFORM_ROWS}]"),
        (
            "lib/palette_texture.glsl",
            f"& {PALETTE_TEXTURE_WIDTH - 1}u), int(row >> {PALETTE_TEXTURE_WIDTH.bit_length() - 1}u)",
        ),
        (
            "lib/influences_texture.glsl",
            f"& {INFLUENCE_TEXTURE_WIDTH - 1}u), int(index >> {INFLUENCE_TEXTURE_WIDTH.bit_length() - 1}u)",
        ),
        (
            "lib/source_texel.glsl",
            f"& {SOURCE_WIDTH - 1}u), int(sourceIndex >> {SOURCE_WIDTH.bit_length() - 1}u)",
        ),
    ],
)
def test_sizes_agree_between_python_and_glsl(file, fragment):
    assert fragment in (SHADER_FOLDER / file).read_text(encoding="utf-8")


def test_an_index_stays_inside_its_vector_whatever_it_is():
    """NVIDIA's compiler unrolls loops and then refuses an index outside a vector, even in a branch that is never
    taken, with C1068; OpenGL in software takes it. Seen with driver 580.159 on an H200.
    """
    texts = {path.name: path.read_text(encoding="utf-8") for path in SHADER_FILES}
    sizes = {name: size for text in texts.values() for size, name in VECTOR_INPUT.findall(text)}
    indexed = re.compile(rf"\b({'|'.join(sizes)})\[([^]]+)\]|\bvec(\d)\([^;]*?\)\[([^]]+)\]")
    found = [
        (file, name or f"vec{size}", (name and sizes[name]) or size, index or of_vector)
        for file, text in texts.items()
        for name, index, size, of_vector in indexed.findall(text)
    ]
    assert {file for file, *_ in found} == {
        "influences_eight.glsl", "influences_four.glsl", "influences_four_matrix.glsl"
    }  # fmt: skip
    assert [one for one in found if one[2] != "4" or not one[3].endswith(" & 3u")] == []
