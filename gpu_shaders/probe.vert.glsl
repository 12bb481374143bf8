// Probe: skins each vertex and sends it to a pixel of its own, so that it can be read back.

#include "lib/skinning.glsl"
#include "lib/probe_interface.glsl"

#resource vertex_in VEC3 meshPosition
#resource vertex_in VEC3 meshNormal
#resource push_constant IVEC2 probeTargetSize

void main()
{
  SkinnedVertex skinned = skin_vertex(meshPosition, meshNormal);
  probedPosition = skinned.position;
  probedNormal = skinned.normal;
  // Vertices are drawn in their own order from 0: vertex i goes to pixel i, row by row.
  ivec2 pixel = ivec2(gl_VertexID % probeTargetSize.x, gl_VertexID / probeTargetSize.x);
  gl_Position = vec4((vec2(pixel) + 0.5) / vec2(probeTargetSize) * 2.0 - 1.0, 0.0, 1.0);
  gl_PointSize = 1.0;
}
