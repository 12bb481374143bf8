// Normals that every pass turns, by a matrix (`skin_normal`, of the file that includes this one) or by a
// rotation: weights are taken to be the same all around.

#include "lib/directions.glsl"

SkinnedVertex vertex_at_rest(vec3 position, vec3 normal)
{
  return SkinnedVertex(position, normal, vec3(0.0), vec3(0.0));
}

// Carries along what goes with a vertex that the blended matrix moves.
void follow_matrix(inout SkinnedVertex vertex, InfluenceSet influences, SkinnedVertex before, mat4 blended)
{
  vertex.normal = skin_normal(before.normal, blended);
}

struct MotionSum {
  Motion motion;
};

MotionSum no_motion()
{
  return MotionSum(Motion(vec4(0.0), vec4(0.0)));
}

// As in normals_gradient.glsl; what normals that turn don't need is left out.
void add_motion(inout MotionSum sum,
                InfluenceSet influences,
                uint index,
                float side,
                Motion joint,
                mat3 stretch,
                SkinnedVertex before)
{
  float weight = side * influence_at(influences, index).weight;
  sum.motion.real += weight * joint.real;
  sum.motion.dual += weight * joint.dual;
}

// Carries along what goes with a vertex that a blended motion moves in root space.
void follow_motion(inout SkinnedVertex vertex, RootSpace space, MotionSum sum, SkinnedVertex before, vec3 position)
{
  vec4 rotation = unit_motion(sum.motion).real;
  vec3 normal = rotate_vector(rotation, before.normal * cofactors(mat3(space.meshToRoot))) *
                cofactors(mat3(space.rootToMesh));
  vertex.normal = unit_direction(normal, before.normal);
}

// Goes a part of the way, `influences.amount`, from what a vertex was before to what a pass made of it.
void follow_amount(inout SkinnedVertex current, InfluenceSet influences, SkinnedVertex skinned)
{
  if (influences.amount == 1.0) {
    current.normal = skinned.normal;
  }
  else {
    current.normal = unit_direction(mix(current.normal, skinned.normal, influences.amount), skinned.normal);
  }
}

vec3 finished_normal(SkinnedVertex skinned, vec3 restNormal)
{
  return skinned.normal;
}
