// Normals from how skinning bends the surface, weights and masks that change along it included.
//
// Where weights fade from one joint to the next, neighbours move differently, and the surface tilts although no
// matrix tilts it. Each pass carries the directions of the surface on by its derivative; along the one that
// points out, weights are taken not to change. core/surface/gradient_normals.py computes the same.

#include "lib/directions.glsl"
#include <gradients>

// At right angles to each other and of unit length; their cross product is the vertex's normal at rest.
#resource vertex_in VEC3 meshTangent0
#resource vertex_in VEC3 meshTangent1

SkinnedVertex vertex_at_rest(vec3 position, vec3 normal)
{
  return SkinnedVertex(position, cross(meshTangent0, meshTangent1), meshTangent0, meshTangent1);
}

// t' = t @ B + sum_k (v @ F_k) * (change of weight_k along t), with B the blended matrix and F_k the joint's.
void follow_matrix(inout SkinnedVertex vertex, InfluenceSet influences, SkinnedVertex before, mat4 blended)
{
  mat3 linear = mat3(blended);
  vertex.normal = before.normal * linear;
  vertex.tangent0 = before.tangent0 * linear;
  vertex.tangent1 = before.tangent1 * linear;
  for (uint index = 0u; index < influences.count; index++) {
    vec2 change = weight_change(influences, index);
    mat4 joint = joint_matrix(influence_at(influences, index).joint);
    // Weights add up to one, so their changes to none: what all joints have in common may be left out, and is,
    // because small numbers lose less.
    vec3 shift = (vec4(before.position, 1.0) * joint).xyz - before.position;
    vertex.tangent0 += change.x * shift;
    vertex.tangent1 += change.y * shift;
  }
}

// The sum, and how it changes along each direction.
struct MotionSum {
  Motion motion;
  Motion alongNormal;
  Motion along0;
  Motion along1;
};

MotionSum no_motion()
{
  Motion none = Motion(vec4(0.0), vec4(0.0));
  return MotionSum(none, none, none, none);
}

// Adds the motion of influence number `index`, negated where `side` is -1. `stretch` is how the joint's dual
// part changes from vertex to vertex: that of a point p, less a constant, is dual_part(p * stretch, real).
void add_motion(inout MotionSum sum,
                InfluenceSet influences,
                uint index,
                float side,
                Motion joint,
                mat3 stretch,
                SkinnedVertex before)
{
  float weight = side * influence_at(influences, index).weight;
  vec2 change = side * weight_change(influences, index);
  sum.motion.real += weight * joint.real;
  sum.motion.dual += weight * joint.dual;
  sum.alongNormal.dual += weight * dual_part(before.normal * stretch, joint.real);
  sum.along0.real += change.x * joint.real;
  sum.along0.dual += change.x * joint.dual + weight * dual_part(before.tangent0 * stretch, joint.real);
  sum.along1.real += change.y * joint.real;
  sum.along1.dual += change.y * joint.dual + weight * dual_part(before.tangent1 * stretch, joint.real);
}

// Differentiates (c p c* + 2 e c*) / |c|^2, c and e the real and the dual sum: `motion` is their quotient by
// |c|, and `change` that of their change. position and moved: p and where it is taken; along: the direction.
vec3 motion_derivative(Motion motion, Motion change, vec3 position, vec3 moved, vec3 along)
{
  vec4 turn = multiply(multiply(change.real, vec4(position, 0.0)), conjugate(motion.real));
  vec4 shift = multiply(change.dual, conjugate(motion.real)) + multiply(motion.dual, conjugate(change.real));
  // Last what the change of length does, which the division takes out.
  return rotate_vector(motion.real, along) + 2.0 * (turn + shift).xyz - 2.0 * dot(motion.real, change.real) * moved;
}

// Carries along what goes with a vertex that a blended motion moves in root space.
void follow_motion(inout SkinnedVertex vertex, RootSpace space, MotionSum sum, SkinnedVertex before, vec3 position)
{
  Motion motion = unit_motion(sum.motion);
  vec3 moved = move_point(motion, position);
  float size = length(sum.motion.real);
  float scale = size > 0.0 ? 1.0 / size : 0.0;
  mat3 into = mat3(space.meshToRoot);
  mat3 back = mat3(space.rootToMesh);
  vertex.normal = motion_derivative(
      motion, scaled_motion(sum.alongNormal, scale), position, moved, before.normal * into) * back;
  vertex.tangent0 = motion_derivative(
      motion, scaled_motion(sum.along0, scale), position, moved, before.tangent0 * into) * back;
  vertex.tangent1 = motion_derivative(
      motion, scaled_motion(sum.along1, scale), position, moved, before.tangent1 * into) * back;
}

// Goes a part of the way, `influences.amount`, from what a vertex was before to what a pass made of it.
void follow_amount(inout SkinnedVertex current, InfluenceSet influences, SkinnedVertex skinned)
{
  float amount = influences.amount;
  vec2 change = amount_change(influences);
  vec3 way = skinned.position - current.position;
  current.normal = mix(current.normal, skinned.normal, amount);
  current.tangent0 = mix(current.tangent0, skinned.tangent0, amount) + change.x * way;
  current.tangent1 = mix(current.tangent1, skinned.tangent1, amount) + change.y * way;
}

// A corner's own normal may lie anywhere: it follows by the cofactors of the three directions. The vertex's own
// becomes the cross product of the tangents. One that collapses altogether stays as it was.
vec3 finished_normal(SkinnedVertex skinned, vec3 restNormal)
{
  vec3 outward = cross(meshTangent0, meshTangent1);
  vec3 turned = dot(restNormal, meshTangent0) * cross(skinned.tangent1, skinned.normal) +
                dot(restNormal, meshTangent1) * cross(skinned.normal, skinned.tangent0) +
                dot(restNormal, outward) * cross(skinned.tangent0, skinned.tangent1);
  return unit_direction(turned, restNormal);
}
