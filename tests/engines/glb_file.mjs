// A glTF file's own contents, for what an engine's loader drops: the numbers of the vertices.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

// Typed arrays by glTF's component type.
const ARRAYS = { 5121: Uint8Array, 5123: Uint16Array, 5125: Uint32Array, 5126: Float32Array };

// The JSON and the first buffer of a .glb or .gltf (a Uint8Array). path: where a .gltf lies.
export function glb(file, path) {
  if (!isBinary(file)) {
    const json = JSON.parse(new TextDecoder().decode(file));
    return { json, binary: Buffer.from(asDataUri(json.buffers[0].uri, path).split(',')[1], 'base64') };
  }
  const data = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const length = data.getUint32(12, true);
  const json = JSON.parse(new TextDecoder().decode(file.subarray(20, 20 + length)));
  return { json, binary: file.subarray(28 + length) };
}

export function isBinary(file) {
  return new TextDecoder().decode(file.subarray(0, 4)) === 'glTF';
}

// A URI of a .gltf with the content itself: loaders fetch, and Node fetches no files. path: of the .gltf.
export function asDataUri(uri, path) {
  if (uri.startsWith('data:')) return uri;
  const content = readFileSync(join(dirname(path), decodeURIComponent(uri)));
  return `data:application/octet-stream;base64,${content.toString('base64')}`;
}

// Which original vertex each vertex of a primitive is: the exporter's attribute _SOURCE, or, in a file without
// it, the vertex's own index.
export function sources({ json, binary }, primitive) {
  const index = primitive.attributes._SOURCE;
  const count = json.accessors[primitive.attributes.POSITION].count;
  if (index === undefined) return Array.from({ length: count }, (_, vertex) => vertex);
  const accessor = json.accessors[index];
  const view = json.bufferViews[accessor.bufferView];
  const Type = ARRAYS[accessor.componentType];
  const start = binary.byteOffset + (view.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
  const stride = view.byteStride ?? Type.BYTES_PER_ELEMENT;
  return Array.from({ length: count }, (_, vertex) => {
    const at = start + vertex * stride;
    return new Type(binary.buffer.slice(at, at + Type.BYTES_PER_ELEMENT))[0];
  });
}
