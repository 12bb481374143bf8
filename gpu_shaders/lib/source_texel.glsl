// Textures that hold one texel for each source vertex, 1024 texels wide.

ivec2 source_texel(uint sourceIndex)
{
  return ivec2(int(sourceIndex & 1023u), int(sourceIndex >> 10u));
}
