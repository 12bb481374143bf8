// What every way of storing influences hands to the blend.

struct Influence {
  uint joint;
  float weight;
};

// The influences that one pass has on this vertex, how much of that pass the vertex takes, and the first
// palette entry of the pass.
struct InfluenceSet {
  uint first;
  uint count;
  float amount;
  uint firstJoint;
};
