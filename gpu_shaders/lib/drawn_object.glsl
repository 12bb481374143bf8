// What a drawing is told about its object; changes far less often than the view. Packed in skinned_drawing.py.
// baseColor, wireColor: linear Rec.709 and opacity. meshToWorld: rows of the 3x3 part, for row vectors; scene
// units.
// extent: the pixel column from which on it is drawn, the opacity of the whole, and the column before which it
// ends.
// nearer: added to the clip z and w that depth is computed from, to draw it nearer to the viewer.

#resource typedef struct DrawnObject { vec4 baseColor; vec4 wireColor; vec4 meshToWorld[3]; vec4 extent; vec4 nearer; };
#resource uniform_buf DrawnObject drawnObject
