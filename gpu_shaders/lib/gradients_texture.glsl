// How each weight changes along the two tangents, in the texture of influences_texture.glsl: as many texels as the pass
// has influences, right after those. There is one pass only.

vec2 weight_change(InfluenceSet influences, uint index)
{
  return influence_texel(influences.first + influences.count + index);
}
