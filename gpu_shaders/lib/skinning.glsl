// Skinning: what moves a vertex. The one copy of it that everything draws and measures with.
//
// Row vectors, as in Python: in `v * M` the columns of M are the packed rows of a palette entry.
// Defines: PASS_COUNT passes in a chain. Bit i of RUN_START_PASSES is set where pass i continues a run, that
// is, starts from what the run's first pass started from; bit i of VOLUME_PASSES where it blends by
// blend_volume, and bit i of DUAL_QUATERNION_PASSES where it does by blend_dual_quaternion.

#include "lib/skinned_vertex.glsl"
#include <influences>
#include "lib/palette.glsl"
#include "lib/root_space.glsl"
#include <normals>
#include "lib/blend_linear.glsl"
#include "lib/blend_volume.glsl"
#include "lib/blend_dual_quaternion.glsl"

// Blends as pass number `stage` asks for. Which pass wants which blend is a define: no vertex goes another way
// than the next, and a blend that no pass wants is compiled away.
SkinnedVertex blend_joints(uint stage, InfluenceSet influences, SkinnedVertex before)
{
  if (((VOLUME_PASSES >> stage) & 1u) != 0u) {
    return blend_volume(influences, before);
  }
  if (((DUAL_QUATERNION_PASSES >> stage) & 1u) != 0u) {
    return blend_dual_quaternion(influences, before);
  }
  return blend_linear(influences, before);
}

// Runs the chain of passes. `amount` interpolates what a pass does to the vertex, not the weights.
SkinnedVertex skin_vertex(vec3 restPosition, vec3 restNormal)
{
  SkinnedVertex current = vertex_at_rest(restPosition, restNormal);
  SkinnedVertex runStart = current;
  InfluenceSet influences = first_influences();
  for (uint stage = 0u; stage < PASS_COUNT; stage++) {
    if (stage > 0u) {
      influences = next_influences(influences);
    }
    if (((RUN_START_PASSES >> stage) & 1u) == 0u) {
      runStart = current;
    }
    SkinnedVertex skinned = blend_joints(stage, influences, runStart);
    follow_amount(current, influences, skinned);
    if (influences.amount == 1.0) {
      current.position = skinned.position;
    }
    else {
      current.position += influences.amount * (skinned.position - current.position);
    }
  }
  current.normal = finished_normal(current, restNormal);
  return current;
}
