// A shader's part of reading a bone texture of Skinscope (float32 or half): see bone-textures.md. GLSL ES 3.00 and up.
// uBones: the texture, without filtering. uSize: samples in a strip, and pixels of a strip (bones times 3).
// A movement is three rows of a matrix for column vectors.

uniform highp sampler2D uBones;
uniform ivec2 uSize;

vec4 pixelOf(int sampleNumber, int bone, int number) {
  int x = sampleNumber / uSize.x * uSize.y + 3 * bone + number;
  return texelFetch(uBones, ivec2(x, sampleNumber % uSize.x), 0);
}

vec3 movedPosition(mat3x4 movement, vec3 position) { return vec4(position, 1.0) * movement; }

vec3 movedNormal(mat3x4 movement, vec3 normal) { return normalize(vec4(normal, 0.0) * movement); }

#ifndef RELATIVE_TO_PARENT

// Bones relative to their rest (the default).

// The movement of a bone from rest at a sample.
mat3x4 boneAt(int sampleNumber, int bone) {
  return mat3x4(pixelOf(sampleNumber, bone, 0), pixelOf(sampleNumber, bone, 1), pixelOf(sampleNumber, bone, 2));
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

#else

// Bones relative to their parents (--relative-to parent). Best once for each bone of each instance, into a texture
// of movements that its vertices fetch: bone-crowd.html does that.
// uSkeleton: a row of four pixels for each bone, three of the inverse of its rest, then its parent in x (-1 for none);
// and in the row after the last bone's, the root's. BoneTexture.skeletonTexture() makes it.

uniform highp sampler2D uSkeleton;

struct BonePose { vec4 rotation; vec3 place; vec3 scale; };

BonePose storedPose(int sampleNumber, int bone) {
  return BonePose(pixelOf(sampleNumber, bone, 0), pixelOf(sampleNumber, bone, 1).xyz, pixelOf(sampleNumber, bone, 2).xyz);
}

// Rotations the shortest way and made unit length, the rest linearly.
BonePose blendedPose(BonePose one, BonePose other, float share) {
  vec4 towards = dot(one.rotation, other.rotation) < 0.0 ? -other.rotation : other.rotation;
  return BonePose(
      normalize(mix(one.rotation, towards, share)), mix(one.place, other.place, share), mix(one.scale, other.scale, share));
}

mat3x4 rowsOf(BonePose pose) {
  vec4 q = pose.rotation;
  vec3 x = vec3(1.0 - 2.0 * (q.y * q.y + q.z * q.z), 2.0 * (q.x * q.y - q.z * q.w), 2.0 * (q.x * q.z + q.y * q.w));
  vec3 y = vec3(2.0 * (q.x * q.y + q.z * q.w), 1.0 - 2.0 * (q.x * q.x + q.z * q.z), 2.0 * (q.y * q.z - q.x * q.w));
  vec3 z = vec3(2.0 * (q.x * q.z - q.y * q.w), 2.0 * (q.y * q.z + q.x * q.w), 1.0 - 2.0 * (q.x * q.x + q.y * q.y));
  return mat3x4(vec4(x * pose.scale, pose.place.x), vec4(y * pose.scale, pose.place.y), vec4(z * pose.scale, pose.place.z));
}

// One movement, and then another.
mat3x4 afterwards(mat3x4 first, mat3x4 next) {
  mat3x4 both;
  for (int row = 0; row < 3; row++) {
    both[row] = next[row].x * first[0] + next[row].y * first[1] + next[row].z * first[2] + vec4(0.0, 0.0, 0.0, next[row].w);
  }
  return both;
}

mat3x4 skeletonRows(int row) {
  return mat3x4(
      texelFetch(uSkeleton, ivec2(0, row), 0), texelFetch(uSkeleton, ivec2(1, row), 0),
      texelFetch(uSkeleton, ivec2(2, row), 0));
}

// The movement of a bone from rest while one clip fades to another, as an animation controller blends them.
// samplesA, samplesB: the two samples of each clip; shares: how far the time is between them, in A and in B. fade: of B.
mat3x4 fadedMovement(int bone, int bones, ivec2 samplesA, ivec2 samplesB, vec2 shares, float fade) {
  mat3x4 movement = skeletonRows(bone);
  for (int at = bone; at >= 0; at = int(texelFetch(uSkeleton, ivec2(3, at), 0).x)) {
    BonePose pose = blendedPose(storedPose(samplesA.x, at), storedPose(samplesA.y, at), shares.x);
    if (fade > 0.0) {
      BonePose other = blendedPose(storedPose(samplesB.x, at), storedPose(samplesB.y, at), shares.y);
      pose = blendedPose(pose, other, fade);
    }
    movement = afterwards(movement, rowsOf(pose));
  }
  return afterwards(movement, skeletonRows(bones));
}

#endif
