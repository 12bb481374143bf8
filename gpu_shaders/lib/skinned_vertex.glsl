// What skinning takes and returns; mesh space.

// What goes along with the position is up to the files normals_*.glsl: a normal that every pass turns; or three
// directions of the surface, its two tangents and, as `normal`, the way out.
struct SkinnedVertex {
  vec3 position;
  vec3 normal;
  vec3 tangent0;
  vec3 tangent1;
};
