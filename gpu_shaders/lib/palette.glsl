// The palette: what every joint does to a vertex, wherever it is stored.
//
// mat4 joint_matrix(uint joint)      a joint's matrix, for row vectors: `vec4(p, 1.0) * joint_matrix(i)`
// vec4 joint_rotation(uint joint)    a unit quaternion (x, y, z, w), for blends whose palette has one
// Motion joint_motion(uint joint)    a rigid motion, for blends whose palette has nothing else
// vec3 instance_tint()               what the instance's colours are multiplied by; white but for crowds

#include "lib/quaternions.glsl"
#include <palette>
