// Linear blending: the weighted sum of the joints' matrices moves the vertex.
//
//     v' = sum_k weight_k * (v @ final(index_k)) = v @ (sum_k weight_k * final(index_k))

vec3 skin_position(vec3 position, mat4 blended)
{
  return (vec4(position, 1.0) * blended).xyz;
}

// Weights of a vertex add up to one (core's Skin.normalised), so the sum is affine as its parts are.
SkinnedVertex blend_linear(InfluenceSet influences, SkinnedVertex before)
{
  mat4 blended = mat4(0.0);
  for (uint index = 0u; index < influences.count; index++) {
    Influence influence = influence_at(influences, index);
    blended += influence.weight * joint_matrix(influence.joint);
  }
  SkinnedVertex vertex = before;
  vertex.position = skin_position(before.position, blended);
  follow_matrix(vertex, influences, before, blended);
  return vertex;
}
