// The value of a vertex, for displays that need none.

vec4 vertex_value(SkinnedVertex skinned, uint sourceIndex)
{
  return vec4(0.0);
}
