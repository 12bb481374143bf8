// A picture, stretched over a rectangle: sRGB with premultiplied opacity, as an off-screen view is stored.

#include "lib/output_color.glsl"

#resource varying smooth VEC2 rectanglePlace
#resource sampler FLOAT_2D shownPicture
#resource fragment_out VEC4 fragmentColor

void main()
{
  vec4 texel = texture(shownPicture, rectanglePlace);
  vec3 color = texel.rgb / max(texel.a, 1.0 / 255.0);
  fragmentColor = output_color(vec4(linear_from_srgb(min(color, 1.0)), texel.a));
}
