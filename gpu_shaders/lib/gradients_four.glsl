// How each weight changes along the two tangents, beside the four influences of influences_four.glsl: two a
// vector.

#resource vertex_in VEC4 skinWeightChange0
#resource vertex_in VEC4 skinWeightChange1

vec2 weight_change(InfluenceSet influences, uint index)
{
  vec4 pair = index < 2u ? skinWeightChange0 : skinWeightChange1;
  return (index & 1u) == 0u ? pair.xy : pair.zw;
}

// What has a mask lies in the texture.
vec2 amount_change(InfluenceSet influences)
{
  return vec2(0.0);
}
