// The value of a vertex, for displays that need none.

float vertex_value(SkinnedVertex skinned, uint sourceIndex)
{
  return 0.0;
}
