// Palette storage: clips sampled into palettes once, and for each instance what it hears of them now. An instance
// fetches the samples before and after its time in each clip, and blends their matrices.
// sampledRows: the samples one after another, one texel a row, three rows a joint. heardClips: for each instance
// a texel a track (the samples before and after, how far between them, the weight), three texels of its place, as
// a palette's rows, and its tint. Both textures are 4096 texels wide.
// sampledCrowd.arrangement: instance 0 of the draw call, rows of a sample, tracks; whole numbers.

#resource sampler FLOAT_2D sampledRows
#resource sampler FLOAT_2D heardClips
#resource typedef struct SampledCrowd { vec4 arrangement; };
#resource uniform_buf SampledCrowd sampledCrowd

vec4 sampled_row(int texel)
{
  return texelFetch(sampledRows, ivec2(texel & 4095, texel >> 12), 0);
}

vec4 heard_texel(int texel)
{
  return texelFetch(heardClips, ivec2(texel & 4095, texel >> 12), 0);
}

// Of the instance that is drawn.
int first_heard()
{
  ivec3 arrangement = ivec3(sampledCrowd.arrangement.xyz);
  return (arrangement.x + gl_InstanceID) * (arrangement.z + 4);
}

vec3 instance_tint()
{
  return heard_texel(first_heard() + int(sampledCrowd.arrangement.z) + 3).rgb;
}

mat4 joint_matrix(uint joint)
{
  ivec3 arrangement = ivec3(sampledCrowd.arrangement.xyz);
  int tracks = arrangement.z;
  int first = first_heard();
  int row = int(joint) * 3;
  vec4 rows[3] = vec4[3](vec4(0.0), vec4(0.0), vec4(0.0));
  for (int track = 0; track < tracks; track++) {
    vec4 heard = heard_texel(first + track);
    // Most instances hear one clip.
    if (heard.w == 0.0) {
      continue;
    }
    int before = int(heard.x) * arrangement.y + row;
    int after = int(heard.y) * arrangement.y + row;
    for (int at = 0; at < 3; at++) {
      rows[at] += heard.w * mix(sampled_row(before + at), sampled_row(after + at), heard.z);
    }
  }
  int place = first + tracks;
  vec4 last = vec4(0.0, 0.0, 0.0, 1.0);
  return mat4(rows[0], rows[1], rows[2], last) *
         mat4(heard_texel(place), heard_texel(place + 1), heard_texel(place + 2), last);
}

// Only matrices are sampled; no pass that is drawn this way asks for these.
vec4 joint_rotation(uint joint)
{
  return vec4(0.0, 0.0, 0.0, 1.0);
}

Motion joint_motion(uint joint)
{
  return Motion(vec4(0.0, 0.0, 0.0, 1.0), vec4(0.0));
}
