// Preserve Volume: dual quaternions with the scale split off; core/blending/volume_palette.py tells the method.
// Palette entries of a joint: its matrix, which lies in root space, and its rotation.

#include "lib/blend_motion.glsl"

SkinnedVertex blend_volume(InfluenceSet influences, SkinnedVertex before)
{
  RootSpace space = root_space(influences);
  vec3 position = point_in_root_space(space, before.position);
  MotionSum sum = no_motion();
  for (uint index = 0u; index < influences.count; index++) {
    uint joint = influence_at(influences, index).joint;
    vec4 rotation = joint_rotation(joint);
    mat4 moves = joint_matrix(joint);
    // q and -q are one rotation. Blender chooses against the running sum, so influences must come in stored
    // order.
    float side = dot(rotation, sum.motion.real) < 0.0 ? -1.0 : 1.0;
    // Scale enters as a translation of this very vertex: where the matrix takes it, less where the rotation
    // does.
    vec3 shift = (vec4(position, 1.0) * moves).xyz - rotate_vector(rotation, position);
    mat3 stretch = mat3(space.meshToRoot) * (mat3(moves) - rotation_matrix(rotation));
    add_motion(sum, influences, index, side, Motion(rotation, dual_part(shift, rotation)), stretch, before);
  }
  return moved_by_motion(space, sum, before, position);
}
