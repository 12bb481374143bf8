// What all blends of motions end with.

// Moves a vertex, whose position in root space is given too, by a sum of motions.
SkinnedVertex moved_by_motion(RootSpace space, MotionSum sum, SkinnedVertex before, vec3 position)
{
  SkinnedVertex vertex = before;
  vec3 moved = move_point(unit_motion(sum.motion), position);
  vertex.position = (vec4(moved, 1.0) * space.rootToMesh).xyz;
  follow_motion(vertex, space, sum, before, position);
  return vertex;
}
