// What skinning takes and returns; mesh space.

struct SkinnedVertex {
  vec3 position;
  vec3 normal;
};
