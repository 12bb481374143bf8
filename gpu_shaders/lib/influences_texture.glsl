// Influences of any number of passes, any number a vertex, from an RG32F texture, 4096 texels wide.
// A vertex owns a run of texels: for each pass a head of two, (number of influences, amount) and (first palette
// entry of the pass, 0), then its (joint, weight) pairs. Whole numbers below 2^24 are exact in a float.
// Defines: WEIGHT_CHANGES, 1 where what gradients_texture.glsl reads follows them, else 0.

#include "lib/influence_types.glsl"

#resource vertex_in UINT skinInfluenceStart
#resource sampler FLOAT_2D skinInfluences

vec2 influence_texel(uint index)
{
  return texelFetch(skinInfluences, ivec2(int(index & 4095u), int(index >> 12u)), 0).xy;
}

InfluenceSet influences_headed_at(uint head)
{
  vec2 content = influence_texel(head);
  return InfluenceSet(head + 2u, uint(content.x), content.y, uint(influence_texel(head + 1u).x));
}

InfluenceSet first_influences()
{
  return influences_headed_at(skinInfluenceStart);
}

// Must not be called after the last pass: what follows belongs to another vertex, or lies outside the texture.
InfluenceSet next_influences(InfluenceSet previous)
{
  return influences_headed_at(previous.first + previous.count + WEIGHT_CHANGES * (previous.count + 1u));
}

Influence influence_at(InfluenceSet influences, uint index)
{
  vec2 pair = influence_texel(influences.first + index);
  return Influence(uint(pair.x), pair.y);
}
