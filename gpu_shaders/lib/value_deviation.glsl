// The value of a vertex: its distance from the reference position, in scene units.
// referencePositions: mesh space.

#include "lib/drawn_object.glsl"
#include "lib/source_texel.glsl"

#resource sampler FLOAT_2D referencePositions

vec4 vertex_value(SkinnedVertex skinned, uint sourceIndex)
{
  vec3 offset = skinned.position - texelFetch(referencePositions, source_texel(sourceIndex), 0).xyz;
  vec3 inScene = offset.x * drawnObject.meshToWorld[0].xyz + offset.y * drawnObject.meshToWorld[1].xyz +
                 offset.z * drawnObject.meshToWorld[2].xyz;
  return vec4(length(inScene), 0.0, 0.0, 0.0);
}
