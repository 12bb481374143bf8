// Textures that hold numbers for each source vertex, 1024 vertices wide: one texel of four, or three of one each.

ivec2 source_texel(uint sourceIndex)
{
  return ivec2(int(sourceIndex & 1023u), int(sourceIndex >> 10u));
}

// Of three texels next to each other, the one of a coordinate.
ivec2 coordinate_texel(uint sourceIndex, int coordinate)
{
  ivec2 place = source_texel(sourceIndex);
  return ivec2(3 * place.x + coordinate, place.y);
}
