// Drawing: skins each drawn vertex and projects it.

#include "lib/skinning.glsl"
#include "lib/draw_interface.glsl"
#include "lib/drawn_object.glsl"
#include <vertex_value>

#resource vertex_in VEC3 meshPosition
#resource vertex_in VEC3 meshNormal
#resource vertex_in VEC2 meshUv
#resource vertex_in UINT sourceVertex

// Multiplied together in double precision before they came here: far from the origin nothing is lost. For row
// vectors.
#resource push_constant MAT4 meshToClip
#resource push_constant MAT3 normalToView
#resource push_constant FLOAT depthBias

void main()
{
  SkinnedVertex skinned = skin_vertex(meshPosition, meshNormal);
  gl_Position = vec4(skinned.position, 1.0) * meshToClip;
  // In depth alone: seen from the viewer it stays where it is. Never so near that it is cut off.
  vec2 nearer = drawnObject.nearer.xy;
  if (nearer != vec2(0.0)) {
    float depth = (gl_Position.z + nearer.x) / max(gl_Position.w + nearer.y, 0.02 * gl_Position.w);
    gl_Position.z = min(max(depth, -0.9999) * gl_Position.w, gl_Position.z);
  }
  // Towards the viewer, in proportion to depth: drawn over the mesh that it replaces, it must win evenly.
  gl_Position.z -= depthBias * gl_Position.w;
  viewNormal = skinned.normal * normalToView;
  texturePosition = meshUv;
  instanceTint = instance_tint();
  vertexValue = vertex_value(skinned, sourceVertex);
}
