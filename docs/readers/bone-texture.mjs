// Reads a bone texture of Skinscope with three.js: its numbers, the poses that they make, and textures for shaders.
// docs/bone-textures.md describes the format; bone_texture.glsl is the shaders' part.

import {
  ClampToEdgeWrapping, DataTexture, DataUtils, FloatType, HalfFloatType, Matrix4, NearestFilter, NoColorSpace,
  Quaternion, RGBAFormat, Vector3,
} from 'three';

const STEPS = 65535;
const VERSIONS = [1, 2];

export class BoneTexture {
  // manifest: the parsed bone-texture.json. buffer: the ArrayBuffer of bone-texture.bin.
  constructor(manifest, buffer) {
    if (!VERSIONS.includes(manifest.version)) {
      throw new Error(`Bone texture of version ${manifest.version}; this reads ${VERSIONS.join(' and ')}.`);
    }
    this.manifest = manifest;
    const { format } = manifest.texture;
    this.numbers = format === 'float32' ? new Float32Array(buffer) : new Uint16Array(buffer);
    this.clips = new Map(manifest.clips.map((clip) => [clip.name, clip]));
    this.isRelativeToParent = manifest.texture.relative_to === 'parent';
    // As in the file: glTF's column-major order, which is three.js's too.
    this.root = new Matrix4().fromArray(manifest.root ?? new Matrix4().elements);
    this.inverseRest = manifest.bones.map(({ rest }) => new Matrix4().fromArray(rest).invert());
  }

  // The four numbers of a pixel of a bone at a sample, as stored; half numbers as numbers, unorm16 from 0 to 1.
  pixel(sample, bone, number) {
    const { format, width, height, strips, pixels_per_bone: perBone } = this.manifest.texture;
    const strip = Math.floor(sample / height);
    const x = strip * (width / strips) + bone * perBone + number;
    const start = 4 * ((sample % height) * width + x);
    const found = Array.from(this.numbers.subarray(start, start + 4));
    if (format === 'half') return found.map(DataUtils.fromHalfFloat);
    return format === 'unorm16' ? found.map((one) => one / STEPS) : found;
  }

  // Where in the texture a time of a clip is: two samples, and how far it is between them.
  samplesAt(clipName, seconds) {
    const clip = this.clips.get(clipName);
    const last = clip.samples - 1;
    let at = clip.seconds ? seconds / clip.seconds : 0;
    at = clip.loops ? at - Math.floor(at) : Math.min(Math.max(at, 0), 1);
    const before = Math.min(Math.floor(at * last), Math.max(last - 1, 0));
    const first = clip.first_sample;
    return { before: first + before, after: first + Math.min(before + 1, last), share: at * last - before };
  }

  // The movement of a bone from rest, a Matrix4 for column vectors, at a time of a clip in seconds.
  movement(bone, clipName, seconds) {
    if (this.isRelativeToParent) return this.movements([{ clip: clipName, seconds, weight: 1 }])[bone];
    const { before, after, share } = this.samplesAt(clipName, seconds);
    const mixed = (number) => mix(this.pixel(before, bone, number), this.pixel(after, bone, number), share);
    if (this.manifest.texture.format !== 'unorm16') {
      return new Matrix4().set(...mixed(0), ...mixed(1), ...mixed(2), 0, 0, 0, 1);
    }
    const rotation = new Quaternion(...mixed(0).map((value) => 2 * value - 1)).normalize();
    const [least, largest] = this.clips.get(clipName).translation;
    const place = mixed(1).slice(0, 3).map((value, axis) => least[axis] + value * (largest[axis] - least[axis]));
    return new Matrix4().compose(new Vector3(...place), rotation, new Vector3(1, 1, 1));
  }

  // The movements of all bones from rest, where clips fade: playing is [{ clip, seconds, weight }, ...], one or more
  // clips. Exactly an animation controller's if bones are relative to parents; else the matrices' weighted mean.
  movements(playing) {
    const total = playing.reduce((sum, { weight }) => sum + weight, 0);
    if (!this.isRelativeToParent) {
      return this.manifest.bones.map((_, bone) => {
        const mean = new Matrix4().multiplyScalar(0);
        playing.forEach(({ clip, seconds, weight }) => this.movement(bone, clip, seconds).elements.forEach(
          (value, at) => { mean.elements[at] += (weight / total) * value; },
        ));
        return mean;
      });
    }
    const toRoot = [];
    return this.manifest.bones.map(({ parent }, bone) => {
      toRoot[bone] = this.#local(bone, playing);
      if (parent >= 0) toRoot[bone].premultiply(toRoot[parent]);
      return this.root.clone().multiply(toRoot[bone]).multiply(this.inverseRest[bone]);
    });
  }

  // Where a bone is relative to its parent: the clips' poses, each blended in by its share of the weight so far.
  #local(bone, playing) {
    let heard = 0;
    let pose = null;
    for (const { clip, seconds, weight } of playing) {
      const { before, after, share } = this.samplesAt(clip, seconds);
      const next = blended(this.#stored(before, bone), this.#stored(after, bone), share);
      heard += weight;
      pose = pose === null ? next : blended(pose, next, weight / heard);
    }
    const [rotation, place, scale] = pose;
    return new Matrix4().compose(
      new Vector3(...place), new Quaternion(...rotation), new Vector3(...scale),
    );
  }

  #stored(sample, bone) {
    return [0, 1, 2].map((number) => this.pixel(sample, bone, number).slice(0, number ? 3 : 4));
  }

  // For a shader: no filtering, no mipmaps, no colour space. unorm16 becomes float, which WebGL 2 can read.
  dataTexture() {
    const { format, width, height } = this.manifest.texture;
    const numbers = format === 'unorm16' ? Float32Array.from(this.numbers, (one) => one / STEPS) : this.numbers;
    return asData(numbers, width, height, format === 'half' ? HalfFloatType : FloatType);
  }

  // For bones relative to parents: of each a row of four pixels, three rows of the inverse of its rest, then its
  // parent; in the last row of the texture, the root's three rows.
  skeletonTexture() {
    const rows = this.inverseRest.map((matrix, bone) => [...threeRows(matrix), this.manifest.bones[bone].parent, 0, 0, 0]);
    const numbers = Float32Array.from([...rows, [...threeRows(this.root), 0, 0, 0, 0]].flat());
    return asData(numbers, 4, rows.length + 1, FloatType);
  }
}

function mix(one, other, share) {
  return one.map((value, at) => value + (other[at] - value) * share);
}

// Two poses [rotation, place, scale]: rotations the shortest way and made unit length, the rest linearly.
function blended(one, other, share) {
  const along = one[0].reduce((sum, value, at) => sum + value * other[0][at], 0);
  const towards = along < 0 ? other[0].map((value) => -value) : other[0];
  const rotation = mix(one[0], towards, share);
  const length = Math.hypot(...rotation);
  return [rotation.map((value) => value / length), mix(one[1], other[1], share), mix(one[2], other[2], share)];
}

function threeRows(matrix) {
  const { elements: at } = matrix;
  return [0, 1, 2].flatMap((row) => [at[row], at[4 + row], at[8 + row], at[12 + row]]);
}

function asData(numbers, width, height, type) {
  const texture = new DataTexture(numbers, width, height, RGBAFormat, type);
  texture.magFilter = texture.minFilter = NearestFilter;
  texture.wrapS = texture.wrapT = ClampToEdgeWrapping;
  texture.colorSpace = NoColorSpace;
  texture.generateMipmaps = false;
  texture.needsUpdate = true;
  return texture;
}
