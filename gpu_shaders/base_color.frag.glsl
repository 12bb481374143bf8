// Display `base_color`: each material's colour times its texture and the instance's tint, under a studio light.
// materialLook.color: linear Rec.709. baseTexture: linear when sampled; white where the material has none.

#include "lib/draw_interface.glsl"
#include "lib/display_output.glsl"
#include "lib/studio_light.glsl"

#resource typedef struct MaterialLook { vec4 color; };
#resource uniform_buf MaterialLook materialLook
#resource sampler FLOAT_2D baseTexture

void main()
{
  // Images repeat outside of 0 to 1, whatever their texture was told to do there.
  vec4 texel = textureGrad(
      baseTexture, fract(texturePosition), dFdx(texturePosition), dFdy(texturePosition));
  vec3 color = materialLook.color.rgb * texel.rgb * instanceTint;
  show_color(vec4(studio_light(color, seen_normal(viewNormal)), 1.0));
}
