// Display `deviation`: a heat map of the distance from the reference, with lines where it crosses a threshold.

#include "lib/draw_interface.glsl"
#include "lib/heat_scale.glsl"
#include "lib/studio_light.glsl"

#resource fragment_out VEC4 fragmentColor

// How much of a line, about a pixel and a half wide, lies on this pixel, where the distance crosses `threshold`.
float line_coverage(float distanceToReference, float change, float threshold)
{
  if (change <= 0.0) {
    return 0.0;
  }
  return clamp(1.25 - abs(distanceToReference - threshold) / change, 0.0, 1.0);
}

// By its bits: compilers may take it that no number is not a number, and drop any comparison that asks.
bool is_nan(float value)
{
  return (floatBitsToUint(value) & 0x7FFFFFFFu) > 0x7F800000u;
}

void main()
{
  // A matrix broke. It must not pass for any colour of the ramp.
  if (is_nan(vertexValue)) {
    fragmentColor = output_color(vec4(1.0, 0.0, 1.0, 1.0));
    return;
  }
  // Facing surfaces keep the ramp's colour exactly, steep ones darken a little: without it no shape is left to see.
  float facing = clamp(seen_normal(viewNormal).z, 0.0, 1.0);
  vec3 color = heat_color(heat_place(vertexValue)) * mix(0.3, 1.0, facing);
  float change = fwidth(vertexValue);
  vec4 limits = heatScale.limits;
  float line = max(
      line_coverage(vertexValue, change, limits.x),
      max(line_coverage(vertexValue, change, limits.y), line_coverage(vertexValue, change, limits.z)));
  fragmentColor = output_color(vec4(mix(color, vec3(1.0), 0.85 * line), 1.0));
}
