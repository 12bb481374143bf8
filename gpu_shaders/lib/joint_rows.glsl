// What the rows of a palette mean, for storages that give them one by one.
// Defines: ROWS_PER_JOINT, what the largest entry of the passes needs: 2 for a dual quaternion, 3 for a matrix,
// 4 for a matrix and a rotation.

// The rows of core's Palette.rows() become the columns, so that `vec4(p, 1.0) * joint_matrix(i)` is the
// row-vector product `v @ final(i)` of the Python side. The last column is what the packing leaves out.
mat4 joint_matrix(uint joint)
{
  uint row = joint * ROWS_PER_JOINT;
  return mat4(palette_row(row), palette_row(row + 1u), palette_row(row + 2u), vec4(0.0, 0.0, 0.0, 1.0));
}

vec4 joint_rotation(uint joint)
{
  return palette_row(joint * ROWS_PER_JOINT + 3u);
}

Motion joint_motion(uint joint)
{
  uint real = joint * ROWS_PER_JOINT;
  return Motion(palette_row(real), palette_row(real + 1u));
}
