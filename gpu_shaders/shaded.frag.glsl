// Display `shaded`: one colour, times the instance's tint, under a studio light.

#include "lib/draw_interface.glsl"
#include "lib/display_output.glsl"
#include "lib/studio_light.glsl"

void main()
{
  show_color(vec4(studio_light(drawnObject.baseColor.rgb * instanceTint, seen_normal(viewNormal)), 1.0));
}
