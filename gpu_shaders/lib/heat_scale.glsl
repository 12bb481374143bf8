// A heat map's fixed scale: number -> place on the ramp -> colour. heat_scale.py computes the same.
// limits: three thresholds and the top, ascending; each of the four bands between takes a quarter of the ramp.
// ramp: 17 colours at equal distances, sRGB.

#include "lib/output_color.glsl"

#resource typedef struct HeatScale { vec4 limits; vec4 ramp[17]; };
#resource uniform_buf HeatScale heatScale

float heat_place(float number)
{
  vec4 upper = heatScale.limits;
  vec4 lower = vec4(0.0, upper.xyz);
  return dot(clamp((vec4(number) - lower) / (upper - lower), 0.0, 1.0), vec4(0.25));
}

// place: 0 to 1. Linear Rec.709 out; the ramp itself is even to the eye in sRGB.
vec3 heat_color(float place)
{
  float along = clamp(place, 0.0, 1.0) * 16.0;
  int below = min(int(along), 15);
  vec3 color = mix(heatScale.ramp[below].rgb, heatScale.ramp[below + 1].rgb, along - float(below));
  return linear_from_srgb(color);
}
