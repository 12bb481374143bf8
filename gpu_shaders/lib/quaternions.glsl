// Quaternions (x, y, z, w), and dual quaternions: rigid motions, which blend without losing volume.

vec3 rotate_vector(vec4 rotation, vec3 direction)
{
  vec3 twice = 2.0 * cross(rotation.xyz, direction);
  return direction + rotation.w * twice + cross(rotation.xyz, twice);
}

// 0.5 * t * q: the part that makes a rotation followed by a translation of a rotation.
vec4 dual_part(vec3 translation, vec4 rotation)
{
  return 0.5 * vec4(
      translation * rotation.w + cross(translation, rotation.xyz), -dot(translation, rotation.xyz));
}

vec4 multiply(vec4 a, vec4 b)
{
  return vec4(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz));
}

vec4 conjugate(vec4 rotation)
{
  return vec4(-rotation.xyz, rotation.w);
}

// For row vectors: direction * rotation_matrix(q) is rotate_vector(q, direction).
mat3 rotation_matrix(vec4 rotation)
{
  return transpose(mat3(rotate_vector(rotation, vec3(1.0, 0.0, 0.0)),
                        rotate_vector(rotation, vec3(0.0, 1.0, 0.0)),
                        rotate_vector(rotation, vec3(0.0, 0.0, 1.0))));
}

// The weighted sum of dual quaternions, made one of unit length by `unit_motion`.
struct Motion {
  vec4 real;
  vec4 dual;
};

// Where all cancels out, nothing moves.
Motion unit_motion(Motion sum)
{
  float size = length(sum.real);
  return size > 0.0 ? Motion(sum.real / size, sum.dual / size) : Motion(vec4(0.0, 0.0, 0.0, 1.0), vec4(0.0));
}

Motion scaled_motion(Motion motion, float factor)
{
  return Motion(motion.real * factor, motion.dual * factor);
}

vec3 move_point(Motion motion, vec3 point)
{
  vec4 real = motion.real;
  vec4 dual = motion.dual;
  vec3 shift = real.w * dual.xyz - dual.w * real.xyz + cross(real.xyz, dual.xyz);
  return rotate_vector(real, point) + 2.0 * shift;
}
