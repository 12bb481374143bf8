// The vertex shader's part of reading a bone texture of Skinscope (float32 or half): see bone-textures.md.
// uBones: the texture, without filtering. uSize: samples in a strip, and pixels of a strip (bones times 3).

uniform sampler2D uBones;
uniform ivec2 uSize;

// The movement of a bone from rest at a sample, three rows.
mat3x4 boneAt(int sampleNumber, int bone) {
  int x = sampleNumber / uSize.x * uSize.y + 3 * bone;
  int y = sampleNumber % uSize.x;
  return mat3x4(
      texelFetch(uBones, ivec2(x, y), 0),
      texelFetch(uBones, ivec2(x + 1, y), 0),
      texelFetch(uBones, ivec2(x + 2, y), 0));
}

// A vertex's movement between two samples of a clip. For a cross-fade, mix the results of both clips. Where the
// mesh has JOINTS_1, add the result for its four to that for JOINTS_0.
mat3x4 movementOf(ivec4 bones, vec4 weights, int before, int after, float share) {
  mat3x4 one = mat3x4(0.0);
  mat3x4 other = mat3x4(0.0);
  for (int i = 0; i < 4; i++) {
    one += weights[i] * boneAt(before, bones[i]);
    other += weights[i] * boneAt(after, bones[i]);
  }
  return one * (1.0 - share) + other * share;
}

vec3 movedPosition(mat3x4 movement, vec3 position) { return vec4(position, 1.0) * movement; }

vec3 movedNormal(mat3x4 movement, vec3 normal) { return normalize(vec4(normal, 0.0) * movement); }
