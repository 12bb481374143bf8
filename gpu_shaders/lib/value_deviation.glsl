// The value of a vertex: its distance from the reference position, in scene units.
// referencePositions: mesh space.

#include "lib/drawn_object.glsl"
#include "lib/source_texel.glsl"

#resource sampler FLOAT_2D referencePositions

vec3 reference_position(uint sourceIndex)
{
  return vec3(texelFetch(referencePositions, coordinate_texel(sourceIndex, 0), 0).x,
              texelFetch(referencePositions, coordinate_texel(sourceIndex, 1), 0).x,
              texelFetch(referencePositions, coordinate_texel(sourceIndex, 2), 0).x);
}

vec4 vertex_value(SkinnedVertex skinned, uint sourceIndex)
{
  vec3 offset = skinned.position - reference_position(sourceIndex);
  vec3 inScene = offset.x * drawnObject.meshToWorld[0].xyz + offset.y * drawnObject.meshToWorld[1].xyz +
                 offset.z * drawnObject.meshToWorld[2].xyz;
  return vec4(length(inScene), 0.0, 0.0, 0.0);
}
