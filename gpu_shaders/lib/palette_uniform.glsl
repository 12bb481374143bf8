// Palette storage: a uniform buffer of 1023 rows, the 16 KiB that every OpenGL grants one.
// palette_buffer.py allocates all of them: a buffer that is shorter than declared draws, silently wrong or not.

#resource typedef struct SkinPalette { vec4 rows[1023]; };
#resource uniform_buf SkinPalette skinPalette

vec4 palette_row(uint row)
{
  return skinPalette.rows[row];
}

vec3 instance_tint()
{
  return vec3(1.0);
}

#include "lib/joint_rows.glsl"
