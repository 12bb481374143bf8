// What Babylon.js makes of a glTF file, on its engine without a screen; called as capture.py says.

import { readFileSync, writeFileSync } from 'node:fs';
import { NullEngine } from '@babylonjs/core/Engines/nullEngine.js';
import { ImportMeshAsync } from '@babylonjs/core/Loading/sceneLoader.js';
import { Matrix, Vector3 } from '@babylonjs/core/Maths/math.vector.js';
import { Scene } from '@babylonjs/core/scene.js';
import '@babylonjs/core/Animations/animatable.js';
import '@babylonjs/loaders/glTF/2.0/index.js';
import { asDataUri, glb, isBinary, sources } from './glb_file.mjs';

// Frames a second that the loader makes of a file's seconds (GLTFLoader's targetFps).
const LOADERS_RATE = 60;

const [file, timesFile, headFile, dataFile] = process.argv.slice(2);
const times = JSON.parse(readFileSync(timesFile, 'utf8'));
const bytes = readFileSync(file);

const scene = new Scene(new NullEngine());
// As the file has it: left-handed, the loader would turn and mirror everything below a root of its own.
scene.useRightHandedSystem = true;
const binary = isBinary(bytes);
const loaded = await ImportMeshAsync(binary ? new Uint8Array(bytes) : `data:${bytes.toString('utf8')}`, scene, {
  pluginExtension: binary ? '.glb' : '.gltf',
  name: 'rig',
  pluginOptions: { gltf: { preprocessUrlAsync: async (url) => asDataUri(url, file) } },
});
for (const group of loaded.animationGroups) group.stop();

// The loader drops attributes that it does not know, so the numbers of the vertices are read from the file itself.
const parsed = glb(bytes, file);
const numberedAs = (mesh) => {
  const pointer = mesh._internalMetadata.gltf.pointers.find((one) => one.includes('/primitives/'));
  const [, , number, , primitive] = pointer.split('/').map(Number);
  return { mesh: number, primitive };
};
const every = loaded.meshes.filter((mesh) => mesh.getTotalVertices());
const skinned = every.filter((mesh) => mesh.skeleton);
const meshes = skinned.length ? skinned : every;

const positions = meshes.map((mesh) => new Float64Array(times.length * mesh.getTotalVertices() * 3));
const vertex = new Vector3();
times.forEach((time, instant) => {
  for (const group of loaded.animationGroups) {
    group.start(false, 1, group.from, group.to);
    group.pause();
    group.goToFrame(time * LOADERS_RATE);
  }
  for (const node of [...scene.transformNodes, ...scene.meshes]) node.computeWorldMatrix(true);
  for (const skeleton of scene.skeletons) skeleton.prepare(true);
  meshes.forEach((mesh, number) => {
    const count = mesh.getTotalVertices();
    // As its vertex shader does, this divides by the sum of the weights.
    const skinned = mesh.getPositionData(true, true);
    const toWorld = mesh.getWorldMatrix();
    for (let index = 0; index < count; index++) {
      Vector3.TransformCoordinatesFromFloatsToRef(...skinned.slice(3 * index, 3 * index + 3), toWorld, vertex);
      positions[number].set([vertex.x, vertex.y, vertex.z], (instant * count + index) * 3);
    }
  });
});

const head = meshes.map((one) => {
  const { mesh, primitive } = numberedAs(one);
  return {
    name: one.name,
    mesh,
    primitive,
    vertices: one.getTotalVertices(),
    source: sources(parsed, parsed.json.meshes[mesh].primitives[primitive]),
    rest: Object.fromEntries(
      ['position', 'normal', 'uv']
        .filter((name) => one.isVerticesDataPresent(name))
        .map((name) => [name, Array.from(one.getVerticesData(name))]),
    ),
  };
});
writeFileSync(headFile, JSON.stringify({ meshes: head }));
writeFileSync(dataFile, Buffer.concat(positions.map((part) => Buffer.from(part.buffer))));
// Nothing else ends the engine.
process.exit(0);
