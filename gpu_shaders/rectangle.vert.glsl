// An upright rectangle in pixel space: legend and label backgrounds.

#resource vertex_in VEC2 corner
#resource varying smooth VEC2 rectanglePlace

// left, bottom, right, top, in clip space.
#resource push_constant VEC4 rectangleInClip

void main()
{
  rectanglePlace = corner;
  gl_Position = vec4(mix(rectangleInClip.xy, rectangleInClip.zw, corner), 0.0, 1.0);
}
