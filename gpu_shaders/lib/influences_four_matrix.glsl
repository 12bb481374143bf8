// Influences without indices: the draw call has four matrices, and a vertex stores how much of each it takes.
// The last weight is implied: together they are one.
// Define: FIRST_MATRIX, the palette entry of the first of the four.

#include "lib/influence_types.glsl"

#resource vertex_in VEC3 skinMatrixWeights

InfluenceSet first_influences()
{
  return InfluenceSet(0u, 4u, 1.0, 0u);
}

// There is no second pass here.
InfluenceSet next_influences(InfluenceSet previous)
{
  return previous;
}

// The implied weight is the fourth of a vector of four: NVIDIA's compiler unrolls the loop over influences, and
// refuses an index outside a vector even in a branch that is not taken (C1068).
Influence influence_at(InfluenceSet influences, uint index)
{
  float implied = 1.0 - (skinMatrixWeights.x + skinMatrixWeights.y + skinMatrixWeights.z);
  return Influence(FIRST_MATRIX + index, vec4(skinMatrixWeights, implied)[index & 3u]);
}
