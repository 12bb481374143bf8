// The value of a vertex: what vertex_paint.py has computed from the weights, a number or a linear colour.

#include "lib/source_texel.glsl"

#resource sampler FLOAT_2D paintedValues

vec4 vertex_value(SkinnedVertex skinned, uint sourceIndex)
{
  return texelFetch(paintedValues, source_texel(sourceIndex), 0);
}
