// The ramp of the heat map, from bottom to top, with the lines that the map draws at the thresholds.

#include "lib/heat_scale.glsl"

#resource varying smooth VEC2 rectanglePlace
#resource fragment_out VEC4 fragmentColor

void main()
{
  float place = rectanglePlace.y;
  // The thresholds lie a quarter of the ramp apart.
  float fromThreshold = abs(place * 4.0 - round(place * 4.0)) / (4.0 * fwidth(place));
  bool between = place > 0.125 && place < 0.875;
  float line = between ? 0.85 * clamp(1.25 - fromThreshold, 0.0, 1.0) : 0.0;
  fragmentColor = output_color(vec4(mix(heat_color(place), vec3(1.0), line), 1.0));
}
