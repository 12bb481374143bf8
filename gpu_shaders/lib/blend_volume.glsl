// Blender's Preserve Volume: dual quaternions with the scale split off; core/dual_quaternion.py tells the method.
// Palette entries of such a pass: mesh to root, root to mesh, then the joints, whose matrices lie in root space.

#include "lib/directions.glsl"

// Quaternions are (x, y, z, w).
vec3 rotate_vector(vec4 rotation, vec3 direction)
{
  vec3 twice = 2.0 * cross(rotation.xyz, direction);
  return direction + rotation.w * twice + cross(rotation.xyz, twice);
}

// 0.5 * t * q: the part that makes a rotation followed by a translation of a rotation.
vec4 dual_part(vec3 translation, vec4 rotation)
{
  return 0.5 * vec4(
      translation * rotation.w + cross(translation, rotation.xyz), -dot(translation, rotation.xyz));
}

SkinnedVertex blend_volume(InfluenceSet influences, SkinnedVertex before)
{
  mat4 meshToRoot = joint_matrix(influences.firstJoint);
  mat4 rootToMesh = joint_matrix(influences.firstJoint + 1u);
  vec3 position = (vec4(before.position, 1.0) * meshToRoot).xyz;
  vec4 real = vec4(0.0);
  vec4 dual = vec4(0.0);
  for (uint index = 0u; index < influences.count; index++) {
    Influence influence = influence_at(influences, index);
    vec4 rotation = joint_rotation(influence.joint);
    // q and -q are one rotation. Blender chooses against the running sum, so influences must come in stored order.
    vec4 weighted = rotation * (dot(rotation, real) < 0.0 ? -influence.weight : influence.weight);
    vec3 moved = (vec4(position, 1.0) * joint_matrix(influence.joint)).xyz;
    real += weighted;
    // Scale enters as a translation of this very vertex: where the matrix takes it, less where the rotation does.
    dual += dual_part(moved - rotate_vector(rotation, position), weighted);
  }
  float size = length(real);
  // Where all cancels out, nothing moves.
  real = size > 0.0 ? real / size : vec4(0.0, 0.0, 0.0, 1.0);
  dual = size > 0.0 ? dual / size : vec4(0.0);
  vec3 shift = real.w * dual.xyz - dual.w * real.xyz + cross(real.xyz, dual.xyz);
  vec3 blended = rotate_vector(real, position) + 2.0 * shift;
  vec3 normal = rotate_vector(real, before.normal * cofactors(mat3(meshToRoot))) * cofactors(mat3(rootToMesh));
  return SkinnedVertex((vec4(blended, 1.0) * rootToMesh).xyz, unit_direction(normal, before.normal));
}
