// A rectangle of one colour with rounded corners.

#include "lib/output_color.glsl"

#resource varying smooth VEC2 rectanglePlace
#resource push_constant VEC4 rectangleColor
// Width, height and corner radius, in pixels.
#resource push_constant VEC3 rectangleShape
#resource fragment_out VEC4 fragmentColor

void main()
{
  vec2 halfSize = 0.5 * rectangleShape.xy;
  float radius = rectangleShape.z;
  vec2 beyond = max(abs(rectanglePlace * rectangleShape.xy - halfSize) - halfSize + radius, 0.0);
  float inside = clamp(radius + 0.5 - length(beyond), 0.0, 1.0);
  fragmentColor = output_color(vec4(linear_from_srgb(rectangleColor.rgb), rectangleColor.a * inside));
}
