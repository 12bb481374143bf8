// Where a display's colour goes: into the part of the picture that is to be drawn, as opaque as the drawing is.

#include "lib/drawn_object.glsl"
#include "lib/output_color.glsl"

#resource fragment_out VEC4 fragmentColor

// Call it last: what comes after it need not run.
void show_color(vec4 linearColor)
{
  if (gl_FragCoord.x < drawnObject.extent.x || gl_FragCoord.x >= drawnObject.extent.z) {
    discard;
  }
  fragmentColor = output_color(vec4(linearColor.rgb, linearColor.a * drawnObject.extent.y));
}
