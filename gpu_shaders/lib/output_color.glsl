// Colours on their way out. Shaders compute in linear Rec.709; what a target wants depends on the target.

// Blender sets this when the shader is bound: true where the target encodes by itself (the viewport), false
// where the numbers are stored as they are (an off-screen picture).
#resource push_constant BOOL srgbTarget

vec3 srgb_from_linear(vec3 color)
{
  vec3 low = 12.92 * color;
  vec3 high = 1.055 * pow(max(color, vec3(0.0031308)), vec3(1.0 / 2.4)) - 0.055;
  return mix(high, low, vec3(lessThanEqual(color, vec3(0.0031308))));
}

vec3 linear_from_srgb(vec3 color)
{
  vec3 low = color / 12.92;
  vec3 high = pow((max(color, vec3(0.04045)) + 0.055) / 1.055, vec3(2.4));
  return mix(high, low, vec3(lessThanEqual(color, vec3(0.04045))));
}

vec4 output_color(vec4 linearColor)
{
  vec3 color = clamp(linearColor.rgb, 0.0, 1.0);
  return vec4(srgbTarget ? color : srgb_from_linear(color), linearColor.a);
}
