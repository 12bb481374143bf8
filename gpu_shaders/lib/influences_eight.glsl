// Influences of one pass from vertex attributes, up to eight a vertex. Unused slots hold joint 0 with weight 0.

#include "lib/influence_types.glsl"

#resource vertex_in UVEC4 skinJoints0
#resource vertex_in UVEC4 skinJoints1
#resource vertex_in VEC4 skinWeights0
#resource vertex_in VEC4 skinWeights1

InfluenceSet first_influences()
{
  return InfluenceSet(0u, 8u, 1.0, 0u);
}

// There is no second pass here; the texture variant has them.
InfluenceSet next_influences(InfluenceSet previous)
{
  return previous;
}

// The mask keeps every index inside its vector in the branch that is not taken, too: NVIDIA's compiler unrolls
// the loop over influences, and refuses what it finds outside (C1068).
Influence influence_at(InfluenceSet influences, uint index)
{
  if (index < 4u) {
    return Influence(skinJoints0[index & 3u], skinWeights0[index & 3u]);
  }
  return Influence(skinJoints1[index & 3u], skinWeights1[index & 3u]);
}
