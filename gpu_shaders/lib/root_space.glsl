// Blends that are done in root space. Palette entries of such a pass: mesh to root, root to mesh, then the
// joints.
// Defines: ENTRIES_PER_SPACE, the palette entries that hold one of the two matrices.

struct RootSpace {
  mat4 meshToRoot;
  mat4 rootToMesh;
};

RootSpace root_space(InfluenceSet influences)
{
  return RootSpace(
      joint_matrix(influences.firstJoint), joint_matrix(influences.firstJoint + ENTRIES_PER_SPACE));
}

vec3 point_in_root_space(RootSpace space, vec3 point)
{
  return (vec4(point, 1.0) * space.meshToRoot).xyz;
}
