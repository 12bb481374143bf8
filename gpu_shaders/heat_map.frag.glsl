// Displays of a number: a heat map on a fixed scale, with lines where the number crosses a threshold.

#include "lib/draw_interface.glsl"
#include "lib/display_output.glsl"
#include "lib/heat_scale.glsl"
#include "lib/studio_light.glsl"

// How much of a line, about a pixel and a half wide, lies on this pixel, where `number` crosses `threshold`.
float line_coverage(float number, float change, float threshold)
{
  if (change <= 0.0) {
    return 0.0;
  }
  return clamp(1.25 - abs(number - threshold) / change, 0.0, 1.0);
}

// By its bits: compilers may take it that no number is not a number, and drop any comparison that asks.
bool is_nan(float value)
{
  return (floatBitsToUint(value) & 0x7FFFFFFFu) > 0x7F800000u;
}

void main()
{
  float number = vertexValue.x;
  // A matrix broke. It must not pass for any colour of the ramp.
  if (is_nan(number)) {
    show_color(vec4(1.0, 0.0, 1.0, 1.0));
    return;
  }
  vec3 color = heat_color(heat_place(number)) * facing_light(viewNormal);
  float change = fwidth(number);
  vec4 limits = heatScale.limits;
  float line = max(
      line_coverage(number, change, limits.x),
      max(line_coverage(number, change, limits.y), line_coverage(number, change, limits.z)));
  show_color(vec4(mix(color, vec3(1.0), 0.85 * line), 1.0));
}
