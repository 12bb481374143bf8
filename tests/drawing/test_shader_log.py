"""Blender's reports of shader compilation errors are understood in every form to date.

The logs were taken from Blender, on Mesa's software drivers; only trailing spaces have been removed.
"""

from __future__ import annotations

import pytest

from skinning_addon.drawing.shader_log import read_log

BLENDER_4_3_OPENGL = """\
ERROR (gpu.shader): pyGPU_Shader VertShader:
      |
  177 |   foo=1;
      |   ^
      | Error: `foo' undeclared
      | Error: value of type int cannot be assigned to variable of type error
      |
      | Error: initializer of type vec2 cannot be assigned to variable of type vec3

ERROR (gpu.shader): pyGPU_Shader FragShader:
      |
  180 | #error here
      |  ^
      | preprocessor error: #error here

"""

BLENDER_4_3_VULKAN = """\
ERROR (gpu.shader): pyGPU_Shader vertex:
      |
  185 |   foo=1;
      |
      | Error: 'foo' : undeclared identifier
      |
      | Error: '=' :  cannot convert from ' const 2-component vector of float'

"""

BLENDER_5_2_OPENGL = """\
00:03.927  gpu.shader       | ERROR pyGPU_Shader VertShader:
                            |       |
                            |   321 |   foo=1;
                            |       |   ^
                            |       | python_shader.glsl:4:3: Error: `foo' undeclared
                            |       |
                            |       | python_shader.glsl:5:3: Error: initializer of type vec2
                            |
00:03.929  gpu.shader       | ERROR pyGPU_Shader Linking:
                            |       | Error: vertex shader lacks `main'
                            |
"""

BLENDER_5_2_VULKAN = """\
00:01.458  gpu.shader       | ERROR pyGPU_Shader fragment:
                            |       |
                            |   334 |   foo=1;
                            |       |
                            |       | python_shader.glsl:4: Error: 'foo' : undeclared identifier
                            |
00:01.991  gpu.shader       | ERROR pyGPU_Shader vertex:
                            |       |
                            |   336 | CREATE_INFO_RES_PASS_pyGPU_Shader
                            |       |
                            |       | draw_colormanagement_lib.glsl:43: Error: '' :  syntax error, unexpected IDENTIFIER
                            |
"""


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        (
            BLENDER_4_3_OPENGL,
            [
                ("vertex", None, 177, "Error: `foo' undeclared"),
                (
                    "vertex",
                    None,
                    177,
                    "Error: value of type int cannot be assigned to variable of type error",
                ),
                (
                    "vertex",
                    None,
                    None,
                    "Error: initializer of type vec2 cannot be assigned to variable of type vec3",
                ),
                ("fragment", None, 180, "preprocessor error: #error here"),
            ],
        ),
        (
            BLENDER_4_3_VULKAN,
            [
                ("vertex", None, 185, "Error: 'foo' : undeclared identifier"),
                (
                    "vertex",
                    None,
                    None,
                    "Error: '=' :  cannot convert from ' const 2-component vector of float'",
                ),
            ],
        ),
        (
            BLENDER_5_2_OPENGL,
            [
                ("vertex", 4, None, "Error: `foo' undeclared"),
                ("vertex", 5, None, "Error: initializer of type vec2"),
                ("linking", None, None, "Error: vertex shader lacks `main'"),
            ],
        ),
        (
            BLENDER_5_2_VULKAN,
            [
                ("fragment", 4, None, "Error: 'foo' : undeclared identifier"),
                ("vertex", None, None, "Error: '' :  syntax error, unexpected IDENTIFIER"),
            ],
        ),
        ("", []),
        ("Read blend: /tmp/terror.blend\n", []),
    ],
    ids=["4.3 OpenGL", "4.3 Vulkan", "5.2 OpenGL", "5.2 Vulkan", "nothing", "something else"],
)
def test_logs(log, expected):
    messages = read_log(log)
    assert [(one.stage, one.row, one.shown_row, one.text) for one in messages] == expected
