// Skins the mesh beside a bone texture with three.js, by docs/readers/bone-texture.mjs, at moments of clips.
// node bone_texture_capture.mjs READER FOLDER MOMENTS OUTPUT: READER is that file, MOMENTS is JSON,
// [[clip, seconds], {a: [clip, seconds], b: [clip, seconds], fade} or [{clip, seconds, weight}, ...], ...]; OUTPUT becomes JSON,
// {rest: [[x, y, z], ...], posed: [[[x, y, z], ...] for each moment]}.

import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Matrix4, Vector3 } from 'three';
import { glb } from './glb_file.mjs';

const ARRAYS = { 5123: Uint16Array, 5125: Uint32Array, 5126: Float32Array };
const COLUMNS = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };

const [reader, folder, moments, output] = process.argv.slice(2);
// Here it finds three.js.
const here = fileURLToPath(new URL(`./.reader-${process.pid}.mjs`, import.meta.url));
copyFileSync(reader, here);
const { BoneTexture } = await import(here).finally(() => rmSync(here));
const bytes = readFileSync(join(folder, 'bone-texture.bin'));
const texture = new BoneTexture(
  JSON.parse(readFileSync(join(folder, 'bone-texture.json'), 'utf8')),
  bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
);
const { json, binary } = glb(readFileSync(join(folder, texture.manifest.mesh)), folder);

function read(index) {
  const accessor = json.accessors[index];
  const view = json.bufferViews[accessor.bufferView];
  const content = binary.slice(view.byteOffset, view.byteOffset + view.byteLength);
  const aligned = new Uint8Array(content).buffer;
  const values = new ARRAYS[accessor.componentType](aligned);
  const columns = COLUMNS[accessor.type];
  const rows = Array.from({ length: accessor.count }, (_, row) => row * columns);
  return rows.map((start) => Array.from(values.subarray(start, start + columns)));
}

const parts = json.meshes.flatMap((mesh) => mesh.primitives).map(({ attributes }) => ({
  positions: read(attributes.POSITION),
  joints: [0, 1].flatMap((set) => (`JOINTS_${set}` in attributes ? [read(attributes[`JOINTS_${set}`])] : [])),
  weights: [0, 1].flatMap((set) => (`WEIGHTS_${set}` in attributes ? [read(attributes[`WEIGHTS_${set}`])] : [])),
}));

function paletteAt(moment) {
  if (Array.isArray(moment) && moment.every((one) => 'weight' in Object(one))) return texture.movements(moment);
  if (Array.isArray(moment)) return texture.manifest.bones.map((_, bone) => texture.movement(bone, ...moment));
  const { a, b, fade } = moment;
  const heard = ([clip, seconds], weight) => ({ clip, seconds, weight });
  return texture.movements([heard(a, 1 - fade), heard(b, fade)]);
}

function posed(moment) {
  const palette = paletteAt(moment);
  return parts.flatMap(({ positions, joints, weights }) => positions.map((position, vertex) => {
    const total = new Matrix4().multiplyScalar(0);
    joints.forEach((set, number) => set[vertex].forEach((joint, index) => {
      const weight = weights[number][vertex][index];
      total.elements.forEach((_, at) => { total.elements[at] += weight * palette[joint].elements[at]; });
    }));
    return new Vector3(...position).applyMatrix4(total).toArray();
  }));
}

writeFileSync(output, JSON.stringify({
  rest: parts.flatMap(({ positions }) => positions),
  posed: JSON.parse(moments).map(posed),
}));
