// Displays of a number: a heat map on a fixed scale.
//
// It has no lines at the limits: where neighbouring vertices differ, every triangle would have some.

#include "lib/draw_interface.glsl"
#include "lib/display_output.glsl"
#include "lib/heat_scale.glsl"
#include "lib/studio_light.glsl"

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
  show_color(vec4(heat_color(heat_place(number)) * facing_light(viewNormal), 1.0));
}
