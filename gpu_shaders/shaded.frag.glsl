// Display `shaded`: one colour under a studio light.

#include "lib/draw_interface.glsl"
#include "lib/drawn_object.glsl"
#include "lib/output_color.glsl"
#include "lib/studio_light.glsl"

#resource fragment_out VEC4 fragmentColor

void main()
{
  vec3 color = studio_light(drawnObject.baseColor.rgb, seen_normal(viewNormal));
  fragmentColor = output_color(vec4(color, 1.0));
}
