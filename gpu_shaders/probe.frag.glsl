// Probe: writes a vertex's skinned position and normal, mesh space, to two RGBA32F targets.

#include "lib/probe_interface.glsl"

#resource fragment_out VEC4 positionTarget
#resource fragment_out VEC4 normalTarget

void main()
{
  positionTarget = vec4(probedPosition, 1.0);
  normalTarget = vec4(probedNormal, 0.0);
}
