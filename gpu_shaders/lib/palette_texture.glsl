// Palette storage: an RGBA32F texture of one texel a row, 1024 texels wide, for any number of joints.

#resource sampler FLOAT_2D skinPaletteRows

vec4 palette_row(uint row)
{
  return texelFetch(skinPaletteRows, ivec2(int(row & 1023u), int(row >> 10u)), 0);
}

vec3 instance_tint()
{
  return vec3(1.0);
}

#include "lib/joint_rows.glsl"
