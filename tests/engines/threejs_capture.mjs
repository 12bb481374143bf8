// What three.js makes of a glTF file, called as capture.py says.

import { readFileSync, writeFileSync } from 'node:fs';
import { AnimationMixer, LoadingManager, LoopOnce, Vector3 } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { asDataUri } from './glb_file.mjs';

// What the loader looks for in a browser.
globalThis.self = globalThis;
globalThis.ProgressEvent ??= Event;

const [file, timesFile, headFile, dataFile] = process.argv.slice(2);
const times = JSON.parse(readFileSync(timesFile, 'utf8'));
const bytes = readFileSync(file);
const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
const manager = new LoadingManager().setURLModifier((uri) => asDataUri(uri, file));
const gltf = await new GLTFLoader(manager).parseAsync(buffer, '');

const every = [];
gltf.scene.traverse((object) => {
  if (object.isMesh) every.push(object);
});
const skinned = every.filter((mesh) => mesh.isSkinnedMesh);
const meshes = skinned.length ? skinned : every;

const mixer = new AnimationMixer(gltf.scene);
const actions = gltf.animations.map((clip) => mixer.clipAction(clip));
for (const action of actions) {
  // The last instant must not wrap around to the first.
  action.setLoop(LoopOnce);
  action.clampWhenFinished = true;
  action.play();
}

const positions = meshes.map((mesh) => new Float64Array(times.length * mesh.geometry.attributes.position.count * 3));
const vertex = new Vector3();
times.forEach((time, instant) => {
  // One that has come to its end stays paused, at its start once the time is set anew.
  for (const action of actions) action.paused = false;
  mixer.setTime(time);
  gltf.scene.updateMatrixWorld(true);
  meshes.forEach((mesh, number) => {
    const count = mesh.geometry.attributes.position.count;
    for (let index = 0; index < count; index++) {
      mesh.getVertexPosition(index, vertex);
      vertex.applyMatrix4(mesh.matrixWorld);
      positions[number].set([vertex.x, vertex.y, vertex.z], (instant * count + index) * 3);
    }
  });
});

const head = meshes.map((mesh) => ({
  name: mesh.name,
  mesh: gltf.parser.associations.get(mesh)?.meshes,
  primitive: gltf.parser.associations.get(mesh)?.primitives,
  vertices: mesh.geometry.attributes.position.count,
  source: Array.from(
    mesh.geometry.attributes._source?.array ?? Array(mesh.geometry.attributes.position.count).keys(),
  ),
  rest: Object.fromEntries(
    ['position', 'normal', 'uv']
      .filter((name) => mesh.geometry.attributes[name])
      .map((name) => [name, Array.from(mesh.geometry.attributes[name].array)]),
  ),
}));
writeFileSync(headFile, JSON.stringify({ meshes: head }));
writeFileSync(dataFile, Buffer.concat(positions.map((part) => Buffer.from(part.buffer))));
