// Directions: making them unit length, and turning normals by a matrix.

// Returns `direction` made unit length, or `otherwise` where it has no length.
// The largest coordinate is taken out first: the square of a tiny one would vanish.
vec3 unit_direction(vec3 direction, vec3 otherwise)
{
  vec3 size = abs(direction);
  float largest = max(size.x, max(size.y, size.z));
  return largest > 0.0 ? normalize(direction / largest) : otherwise;
}

// The cofactors of a 3x3 matrix, the inverse transpose times the determinant: turns normals as the matrix moves
// surfaces, right under non-uniform scale, and defined even where an axis is scaled to zero. For `normal * M`.
mat3 cofactors(mat3 linear)
{
  return mat3(cross(linear[1], linear[2]), cross(linear[2], linear[0]), cross(linear[0], linear[1]));
}
