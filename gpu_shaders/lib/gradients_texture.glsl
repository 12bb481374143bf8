// How each weight, and the amount, changes along the two tangents, in the texture of influences_texture.glsl:
// as many texels as the pass has influences, right after those, then one.

vec2 weight_change(InfluenceSet influences, uint index)
{
  return influence_texel(influences.first + influences.count + index);
}

vec2 amount_change(InfluenceSet influences)
{
  return influence_texel(influences.first + 2u * influences.count);
}
