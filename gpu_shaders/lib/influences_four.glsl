// Influences of one pass from vertex attributes, up to four a vertex. Unused slots hold joint 0 with weight 0.

#include "lib/influence_types.glsl"

#resource vertex_in UVEC4 skinJoints0
#resource vertex_in VEC4 skinWeights0

InfluenceSet first_influences()
{
  return InfluenceSet(0u, 4u, 1.0, 0u);
}

// There is no second pass here; the texture variant has them.
InfluenceSet next_influences(InfluenceSet previous)
{
  return previous;
}

Influence influence_at(InfluenceSet influences, uint index)
{
  return Influence(skinJoints0[index & 3u], skinWeights0[index & 3u]);
}
