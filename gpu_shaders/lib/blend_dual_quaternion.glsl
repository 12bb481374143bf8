// Dual quaternions as published; core/blending/dual_quaternion.py tells the method.
// Palette entries of a joint: its real, then its dual part.

#include "lib/blend_motion.glsl"

SkinnedVertex blend_dual_quaternion(InfluenceSet influences, SkinnedVertex before)
{
  RootSpace space = root_space(influences);
  vec4 pivot = joint_motion(influence_at(influences, 0u).joint).real;
  MotionSum sum = no_motion();
  for (uint index = 0u; index < influences.count; index++) {
    Motion joint = joint_motion(influence_at(influences, index).joint);
    // q and -q are one rotation: the one on the side of the first influence counts.
    float side = dot(joint.real, pivot) < 0.0 ? -1.0 : 1.0;
    add_motion(sum, influences, index, side, joint, mat3(0.0), before);
  }
  return moved_by_motion(space, sum, before, point_in_root_space(space, before.position));
}
