// Normals of linear blending by the blended matrix itself, as many engines do: right while nothing scales
// unevenly.

#include "lib/directions.glsl"

// A normal that collapses altogether (a bone scaled to zero) stays as it was.
vec3 skin_normal(vec3 normal, mat4 blended)
{
  return unit_direction(normal * mat3(blended), normal);
}

#include "lib/normals_turned.glsl"
