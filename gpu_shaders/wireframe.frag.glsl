// Display `wireframe`: edges in one colour.

#include "lib/display_output.glsl"

void main()
{
  show_color(drawnObject.wireColor);
}
