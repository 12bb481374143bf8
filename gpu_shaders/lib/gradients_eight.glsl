// How each weight changes along the two tangents, beside the eight influences of influences_eight.glsl: two a
// vector.

#resource vertex_in VEC4 skinWeightChange0
#resource vertex_in VEC4 skinWeightChange1
#resource vertex_in VEC4 skinWeightChange2
#resource vertex_in VEC4 skinWeightChange3

vec2 weight_change(InfluenceSet influences, uint index)
{
  vec4 pair = index < 4u ? (index < 2u ? skinWeightChange0 : skinWeightChange1) :
                           (index < 6u ? skinWeightChange2 : skinWeightChange3);
  return (index & 1u) == 0u ? pair.xy : pair.zw;
}

// What has a mask lies in the texture.
vec2 amount_change(InfluenceSet influences)
{
  return vec2(0.0);
}
