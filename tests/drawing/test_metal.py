"""Metal's limits, which no machine here can try: no shader of ours declares more, whichever parts it is made of.

From Apple's *Metal Feature Set Tables*, the lowest of all Macs that run a Blender of ours; docs/development.md lists
them.
"""

from __future__ import annotations

import re

from skinning_addon.drawing.influence_layout import INFLUENCE_TEXTURE_WIDTH
from skinning_addon.drawing.instance_palette import INSTANCE_TEXTURE_WIDTH
from skinning_addon.drawing.palette_buffer import PALETTE_TEXTURE_WIDTH
from skinning_addon.drawing.shader_source import SHADER_FOLDER
from skinning_addon.drawing.source_texture import SOURCE_WIDTH
from tests.installed_package import CHECKOUT

MOST_ATTRIBUTES = 31
MOST_BUFFERS = 31
MOST_SAMPLERS = 16
MOST_TARGETS = 8
MOST_VARYING_COMPONENTS = 60
BYTES_OF_CONSTANTS = 64 * 1024
BYTES_OF_PUSH_CONSTANTS = 4096
"""That can be set without a buffer."""

WIDEST_TEXTURE = 16384

COMPONENTS = {
    "FLOAT": 1,
    "UINT": 1,
    "INT": 1,
    "BOOL": 1,
    "VEC2": 2,
    "IVEC2": 2,
    "VEC3": 3,
    "VEC4": 4,
    "UVEC4": 4,
}
ALIGNED = COMPONENTS | {"VEC3": 4, "MAT3": 12, "MAT4": 16}
"""As buffers hold them."""

UNKNOWN_TO_METAL = re.compile(r"\b(double|dvec\d|gl_ClipDistance|gl_FragDepth|atomicCounter|EmitVertex)\b")


def of_kind(kind: str) -> list[tuple[str, ...]]:
    """Return what files declare of a kind, each once."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in SHADER_FOLDER.rglob("*.glsl"))
    lines = re.findall(rf"(?m)^\s*#resource {kind} (.*)$", text)
    return sorted({tuple(line.split()) for line in lines})


def test_attributes():
    assert 0 < len(of_kind("vertex_in")) <= MOST_ATTRIBUTES
    assert all(one[0] in COMPONENTS for one in of_kind("vertex_in"))


def test_buffers():
    """One vertex buffer for each attribute at most, the uniform buffers, push constants and indices."""
    assert len(of_kind("vertex_in")) + len(of_kind("uniform_buf")) + 2 <= MOST_BUFFERS


def test_textures_are_of_two_dimensions_and_samplers_are_enough():
    samplers = of_kind("sampler")
    assert 0 < len(samplers) <= MOST_SAMPLERS
    assert {kind for kind, _ in samplers} <= {"FLOAT_2D", "UINT_2D", "INT_2D"}
    widths = (INFLUENCE_TEXTURE_WIDTH, INSTANCE_TEXTURE_WIDTH, PALETTE_TEXTURE_WIDTH, SOURCE_WIDTH)
    assert max(widths) <= WIDEST_TEXTURE


def test_targets():
    assert len(of_kind("fragment_out")) <= MOST_TARGETS


def test_varyings():
    assert 0 < sum(COMPONENTS[one[1]] for one in of_kind("varying")) <= MOST_VARYING_COMPONENTS


def test_push_constants():
    assert 0 < sum(4 * ALIGNED[kind] for kind, *_ in of_kind("push_constant")) <= BYTES_OF_PUSH_CONSTANTS


def test_uniform_buffers_fit_into_constant_memory():
    for definition in of_kind("typedef"):
        text = " ".join(definition)
        assert "vec3" not in text
        assert "mat3" not in text
        rows = sum(int(count or 1) for count in re.findall(r"vec4 \w+(?:\[(\d+)\])?;", text))
        assert 0 < 16 * rows <= BYTES_OF_CONSTANTS


def test_nothing_that_its_language_lacks():
    for path in SHADER_FOLDER.rglob("*.glsl"):
        code = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
        assert UNKNOWN_TO_METAL.findall(code) == [], path.name


def test_the_documentation_has_what_shaders_declare():
    attributes, uniforms = len(of_kind("vertex_in")), len(of_kind("uniform_buf"))
    rows = {
        "vertex attributes": attributes,
        "buffers": attributes + uniforms + 2,
        "samplers": len(of_kind("sampler")),
        "targets": len(of_kind("fragment_out")),
        "components": sum(COMPONENTS[one[1]] for one in of_kind("varying")),
        "push constants": sum(4 * ALIGNED[kind] for kind, *_ in of_kind("push_constant")),
    }
    page = (CHECKOUT / "docs" / "development.md").read_text(encoding="utf-8")
    for name, count in rows.items():
        assert re.search(rf"(?m)^\| {name}[^|]*\|[^|]*\| {count}( bytes)? \|$", page), name
