// The ramp of the heat map, from bottom to top, with a line at the threshold.

#include "lib/heat_scale.glsl"

#resource varying smooth VEC2 rectanglePlace
#resource fragment_out VEC4 fragmentColor

void main()
{
  float place = rectanglePlace.y;
  float fromThreshold = abs(place - heatScale.bands.y) / fwidth(place);
  float line = clamp(1.75 - fromThreshold, 0.0, 1.0);
  fragmentColor = output_color(vec4(heat_color(place) * (1.0 - line), 1.0));
}
