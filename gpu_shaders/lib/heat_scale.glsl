// A heat map's fixed scale: number -> place on the ramp -> colour. heat_scale.py computes the same.
// limits: the upper ends of up to 8 bands, ascending; each takes the same part of the ramp.
// bands: how many there are, and the threshold's place on the ramp, below 0 if there is none.
// ramp: 17 colours at equal distances, sRGB.

#include "lib/output_color.glsl"

#resource typedef struct HeatScale { vec4 limits[2]; vec4 bands; vec4 ramp[17]; };
#resource uniform_buf HeatScale heatScale

float heat_place(float number)
{
  vec4 upper = heatScale.limits[0];
  vec4 lower = vec4(0.0, upper.xyz);
  vec4 nextUpper = heatScale.limits[1];
  vec4 nextLower = vec4(upper.w, nextUpper.xyz);
  vec4 bands = clamp((vec4(number) - lower) / (upper - lower), 0.0, 1.0) +
               clamp((vec4(number) - nextLower) / (nextUpper - nextLower), 0.0, 1.0);
  return min(dot(bands, vec4(1.0)) / heatScale.bands.x, 1.0);
}

// place: 0 to 1. Linear Rec.709 out; the ramp itself is even to the eye in sRGB.
vec3 heat_color(float place)
{
  float along = clamp(place, 0.0, 1.0) * 16.0;
  int below = min(int(along), 15);
  vec3 color = mix(heatScale.ramp[below].rgb, heatScale.ramp[below + 1].rgb, along - float(below));
  return linear_from_srgb(color);
}
