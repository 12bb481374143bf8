// Normals of linear blending from how skinning bends the surface, weights that change along it included.
//
// Where weights fade from one joint to the next, neighbours move differently, and the surface tilts although no matrix
// tilts it. For a tangent t of the surface at rest, with B the blended matrix and F_k the joint's:
//
//     t' = t @ B + sum_k (v @ F_k) * (change of weight_k along t)
//
// Along the normal weights are taken not to change. core/weight_gradient.py computes the same.

#include "lib/directions.glsl"
#include <gradients>

// At right angles to each other and of unit length; their cross product is the vertex's normal at rest.
#resource vertex_in VEC3 meshTangent0
#resource vertex_in VEC3 meshTangent1

// A corner's own normal may lie anywhere: it follows by the cofactors of the three directions. The vertex's own becomes
// the cross product of the tangents. One that collapses altogether stays as it was.
vec3 skin_normal(InfluenceSet influences, SkinnedVertex before, mat4 blended)
{
  mat3 linear = mat3(blended);
  vec3 outward = cross(meshTangent0, meshTangent1);
  vec3 first = meshTangent0 * linear;
  vec3 second = meshTangent1 * linear;
  vec3 third = outward * linear;
  for (uint index = 0u; index < influences.count; index++) {
    vec2 change = weight_change(influences, index);
    mat4 joint = joint_matrix(influence_at(influences, index).joint);
    // Weights add up to one, so their changes to none: what all joints have in common may be left out, and is, because
    // small numbers lose less.
    vec3 shift = (vec4(before.position, 1.0) * joint).xyz - before.position;
    first += change.x * shift;
    second += change.y * shift;
  }
  vec3 normal = before.normal;
  vec3 turned = dot(normal, meshTangent0) * cross(second, third) + dot(normal, meshTangent1) * cross(third, first) +
                dot(normal, outward) * cross(first, second);
  return unit_direction(turned, normal);
}
