// Normals of linear blending by the cofactors of the blended matrix: right under uneven scale and mirroring
// too, where the weights are the same all around.

#include "lib/directions.glsl"

// A normal that collapses altogether (a bone scaled to zero) stays as it was.
vec3 skin_normal(vec3 normal, mat4 blended)
{
  return unit_direction(normal * cofactors(mat3(blended)), normal);
}

#include "lib/normals_turned.glsl"
