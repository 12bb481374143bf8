// Displays of classes: each vertex's own colour, under a light from the viewer.

#include "lib/draw_interface.glsl"
#include "lib/display_output.glsl"
#include "lib/studio_light.glsl"

void main()
{
  show_color(vec4(vertexValue.rgb * facing_light(viewNormal), 1.0));
}
