// Reads a bone texture of Skinscope with three.js: its numbers, and for a shader a DataTexture of them.
// docs/bone-textures.md describes the format; bone_texture.glsl is the vertex shader's part.

import {
  ClampToEdgeWrapping, DataTexture, DataUtils, FloatType, HalfFloatType, Matrix4, NearestFilter, NoColorSpace,
  Quaternion, RGBAFormat, Vector3,
} from 'three';

const STEPS = 65535;

export class BoneTexture {
  // manifest: the parsed bone-texture.json. buffer: the ArrayBuffer of bone-texture.bin.
  constructor(manifest, buffer) {
    if (manifest.version !== 1) throw new Error(`Bone texture of version ${manifest.version}; this reads 1.`);
    this.manifest = manifest;
    const { format } = manifest.texture;
    this.numbers = format === 'float32' ? new Float32Array(buffer) : new Uint16Array(buffer);
    this.clips = new Map(manifest.clips.map((clip) => [clip.name, clip]));
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

  // The movement of a bone from rest, a Matrix4 for column vectors, at a time of a clip in seconds.
  movement(bone, clipName, seconds) {
    const clip = this.clips.get(clipName);
    const last = clip.samples - 1;
    let at = clip.seconds ? seconds / clip.seconds : 0;
    at = clip.loops ? at - Math.floor(at) : Math.min(Math.max(at, 0), 1);
    const before = Math.min(Math.floor(at * last), Math.max(last - 1, 0));
    const after = Math.min(before + 1, last);
    const share = at * last - before;
    const mixed = (number) => {
      const one = this.pixel(clip.first_sample + before, bone, number);
      const other = this.pixel(clip.first_sample + after, bone, number);
      return one.map((value, index) => value + (other[index] - value) * share);
    };
    if (this.manifest.texture.format !== 'unorm16') {
      return new Matrix4().set(...mixed(0), ...mixed(1), ...mixed(2), 0, 0, 0, 1);
    }
    const rotation = new Quaternion(...mixed(0).map((value) => 2 * value - 1)).normalize();
    const [least, largest] = clip.translation;
    const place = mixed(1).slice(0, 3).map((value, axis) => least[axis] + value * (largest[axis] - least[axis]));
    return new Matrix4().compose(new Vector3(...place), rotation, new Vector3(1, 1, 1));
  }

  // For a shader: no filtering, no mipmaps, no colour space. unorm16 becomes float, which WebGL 2 can read.
  dataTexture() {
    const { format, width, height } = this.manifest.texture;
    const isHalf = format === 'half';
    const numbers = format === 'unorm16' ? Float32Array.from(this.numbers, (one) => one / STEPS) : this.numbers;
    const texture = new DataTexture(numbers, width, height, RGBAFormat, isHalf ? HalfFloatType : FloatType);
    texture.magFilter = texture.minFilter = NearestFilter;
    texture.wrapS = texture.wrapT = ClampToEdgeWrapping;
    texture.colorSpace = NoColorSpace;
    texture.generateMipmaps = false;
    texture.needsUpdate = true;
    return texture;
  }
}
