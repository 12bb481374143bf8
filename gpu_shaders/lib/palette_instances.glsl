// Palette storage: the palettes of many instances, one after another, in an RGBA32F texture of one texel a row,
// 4096 texels wide. An instance's place in the world is part of its palette. The last row of each is its tint.
// drawnInstances.arrangement: whose palette instance 0 of the draw call takes, and the rows of each palette,
// with its tint; whole numbers. Push constants have no room for them.

#resource sampler FLOAT_2D instancePaletteRows
#resource typedef struct DrawnInstances { vec4 arrangement; };
#resource uniform_buf DrawnInstances drawnInstances

vec4 palette_row(uint row)
{
  ivec2 firstAndRows = ivec2(drawnInstances.arrangement.xy);
  uint texel = uint((firstAndRows.x + gl_InstanceID) * firstAndRows.y) + row;
  return texelFetch(instancePaletteRows, ivec2(int(texel & 4095u), int(texel >> 12u)), 0);
}

vec3 instance_tint()
{
  return palette_row(uint(drawnInstances.arrangement.y) - 1u).rgb;
}

#include "lib/joint_rows.glsl"
