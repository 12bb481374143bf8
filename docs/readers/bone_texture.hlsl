// A shader's part of reading a bone texture of Skinscope (float32 or half): see bone-textures.md. Shader Model 4 and up,
// for Unity (an include of a ShaderLab or Shader Graph's Custom Function) and Unreal (a Custom node's include).
// bones: the texture, read without a sampler. size: samples in a strip, and pixels of a strip (bones times 3).
// A movement is three rows of a matrix for column vectors: mul(movement, float4(position, 1)).
// Space is glTF's: Y up, right-handed, metres. Unity's is mirrored (its glTF importers negate X), Unreal's is Z up and in
// centimetres: take positions there first, and results back.

float4 BonePixel(Texture2D<float4> bones, int2 size, int sampleNumber, int bone, int number)
{
    int x = sampleNumber / size.x * size.y + 3 * bone + number;
    return bones.Load(int3(x, sampleNumber % size.x, 0));
}

float3 MovedPosition(float3x4 movement, float3 position) { return mul(movement, float4(position, 1.0)); }

float3 MovedNormal(float3x4 movement, float3 normal) { return normalize(mul(movement, float4(normal, 0.0))); }

// ---- Bones relative to their rest (the default) -----------------------------------------------------------------

// The movement of a bone from rest at a sample.
float3x4 BoneAt(Texture2D<float4> bones, int2 size, int sampleNumber, int bone)
{
    return float3x4(
        BonePixel(bones, size, sampleNumber, bone, 0), BonePixel(bones, size, sampleNumber, bone, 1),
        BonePixel(bones, size, sampleNumber, bone, 2));
}

// A vertex's movement between two samples of a clip. For a cross-fade, lerp the results of both clips. Where the mesh has
// eight influences, add the result for the other four.
float3x4 MovementOf(
    Texture2D<float4> bones, int2 size, int4 joints, float4 weights, int before, int after, float share)
{
    float3x4 movement = (float3x4)0;
    for (int i = 0; i < 4; i++)
    {
        movement += weights[i] * (1.0 - share) * BoneAt(bones, size, before, joints[i]);
        movement += weights[i] * share * BoneAt(bones, size, after, joints[i]);
    }
    return movement;
}

// ---- Bones relative to their parents (--relative-to parent) ------------------------------------------------------
// Best once for each bone of each instance, into a buffer that its vertices read.
// skeleton: a row of four pixels for each bone, three of the inverse of its rest, then its parent in x (-1 for none); and
// in the row after the last bone's, the root's. skeletonTexture() of bone-texture.mjs shows how it is made.

struct BonePose
{
    float4 rotation;
    float3 place;
    float3 scale;
};

BonePose StoredPose(Texture2D<float4> bones, int2 size, int sampleNumber, int bone)
{
    BonePose pose;
    pose.rotation = BonePixel(bones, size, sampleNumber, bone, 0);
    pose.place = BonePixel(bones, size, sampleNumber, bone, 1).xyz;
    pose.scale = BonePixel(bones, size, sampleNumber, bone, 2).xyz;
    return pose;
}

// Rotations the shortest way and made unit length, the rest linearly.
BonePose BlendedPose(BonePose one, BonePose other, float share)
{
    float4 towards = dot(one.rotation, other.rotation) < 0.0 ? -other.rotation : other.rotation;
    BonePose pose;
    pose.rotation = normalize(lerp(one.rotation, towards, share));
    pose.place = lerp(one.place, other.place, share);
    pose.scale = lerp(one.scale, other.scale, share);
    return pose;
}

float3x4 RowsOf(BonePose pose)
{
    float4 q = pose.rotation;
    float3 x = float3(1.0 - 2.0 * (q.y * q.y + q.z * q.z), 2.0 * (q.x * q.y - q.z * q.w), 2.0 * (q.x * q.z + q.y * q.w));
    float3 y = float3(2.0 * (q.x * q.y + q.z * q.w), 1.0 - 2.0 * (q.x * q.x + q.z * q.z), 2.0 * (q.y * q.z - q.x * q.w));
    float3 z = float3(2.0 * (q.x * q.z - q.y * q.w), 2.0 * (q.y * q.z + q.x * q.w), 1.0 - 2.0 * (q.x * q.x + q.y * q.y));
    return float3x4(
        float4(x * pose.scale, pose.place.x), float4(y * pose.scale, pose.place.y), float4(z * pose.scale, pose.place.z));
}

// One movement, and then another.
float3x4 Afterwards(float3x4 first, float3x4 next)
{
    float3x4 both;
    for (int row = 0; row < 3; row++)
    {
        both[row] = next[row].x * first[0] + next[row].y * first[1] + next[row].z * first[2]
            + float4(0.0, 0.0, 0.0, next[row].w);
    }
    return both;
}

float3x4 SkeletonRows(Texture2D<float4> skeleton, int row)
{
    return float3x4(
        skeleton.Load(int3(0, row, 0)), skeleton.Load(int3(1, row, 0)), skeleton.Load(int3(2, row, 0)));
}

// The movement of a bone from rest while one clip fades to another, as an animation controller blends them.
// samplesA, samplesB: the two samples of each clip; shares: how far the time is between them. fade: of B.
float3x4 FadedMovement(
    Texture2D<float4> bones, Texture2D<float4> skeleton, int2 size, int bone, int boneCount,
    int2 samplesA, int2 samplesB, float2 shares, float fade)
{
    float3x4 movement = SkeletonRows(skeleton, bone);
    int at = bone;
    while (at >= 0)
    {
        BonePose pose = BlendedPose(
            StoredPose(bones, size, samplesA.x, at), StoredPose(bones, size, samplesA.y, at), shares.x);
        if (fade > 0.0)
        {
            BonePose other = BlendedPose(
                StoredPose(bones, size, samplesB.x, at), StoredPose(bones, size, samplesB.y, at), shares.y);
            pose = BlendedPose(pose, other, fade);
        }
        movement = Afterwards(movement, RowsOf(pose));
        at = (int)skeleton.Load(int3(3, at, 0)).x;
    }
    return Afterwards(movement, SkeletonRows(skeleton, boneCount));
}
