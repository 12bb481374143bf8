// The value of a vertex: its distance from the reference position, in scene units.
// referencePositions: an RGBA32F texture by source vertex, 1024 texels wide, mesh space.

#include "lib/drawn_object.glsl"

#resource sampler FLOAT_2D referencePositions

float vertex_value(SkinnedVertex skinned, uint sourceIndex)
{
  ivec2 texel = ivec2(int(sourceIndex & 1023u), int(sourceIndex >> 10u));
  vec3 offset = skinned.position - texelFetch(referencePositions, texel, 0).xyz;
  return length(
      offset.x * drawnObject.meshToWorld[0].xyz + offset.y * drawnObject.meshToWorld[1].xyz +
      offset.z * drawnObject.meshToWorld[2].xyz);
}
