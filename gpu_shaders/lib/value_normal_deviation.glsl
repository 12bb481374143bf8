// The value of a vertex: the angle of its normal to the reference normal, in degrees, as the scene shows it.
// referenceNormals: mesh space; of length 0 where a vertex has none, which is no deviation.
//
// It is the vertex's own normal that is compared, whatever normals its corners have.

#include "lib/drawn_object.glsl"
#include "lib/source_texel.glsl"

#resource sampler FLOAT_2D referenceNormals
#resource vertex_in VEC3 sourceNormal

vec3 reference_normal(uint sourceIndex)
{
  return vec3(texelFetch(referenceNormals, coordinate_texel(sourceIndex, 0), 0).x,
              texelFetch(referenceNormals, coordinate_texel(sourceIndex, 1), 0).x,
              texelFetch(referenceNormals, coordinate_texel(sourceIndex, 2), 0).x);
}

vec3 normal_in_scene(vec3 normal)
{
  mat3 turn = cofactors(mat3(
      drawnObject.meshToWorld[0].xyz, drawnObject.meshToWorld[1].xyz, drawnObject.meshToWorld[2].xyz));
  return unit_direction(turn * normal, vec3(0.0));
}

vec4 vertex_value(SkinnedVertex skinned, uint sourceIndex)
{
  vec3 ours = normal_in_scene(skin_vertex(meshPosition, sourceNormal).normal);
  vec3 reference = reference_normal(sourceIndex);
  if (reference == vec3(0.0)) {
    return vec4(0.0);
  }
  reference = normal_in_scene(reference);
  // By half the angle's sine and cosine: the cosine of a small angle says nothing.
  float angle = degrees(2.0 * atan(length(ours - reference), length(ours + reference)));
  return vec4(angle, 0.0, 0.0, 0.0);
}
