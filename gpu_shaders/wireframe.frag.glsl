// Display `wireframe`: edges in one colour.

#include "lib/drawn_object.glsl"
#include "lib/output_color.glsl"

#resource fragment_out VEC4 fragmentColor

void main()
{
  fragmentColor = output_color(drawnObject.wireColor);
}
