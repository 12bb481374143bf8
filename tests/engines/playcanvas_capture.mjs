// What PlayCanvas makes of a glTF file, on its device without a screen; called as capture.py says.

import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import {
  AnimComponentSystem,
  AnimStateGraph,
  AppBase,
  AppOptions,
  Asset,
  ContainerHandler,
  Entity,
  NullGraphicsDevice,
  RenderComponentSystem,
  SEMANTIC_BLENDINDICES,
  SEMANTIC_BLENDWEIGHT,
  Vec4,
} from 'playcanvas';
import { asDataUri, glb, sources } from './glb_file.mjs';

const [file, timesFile, headFile, dataFile] = process.argv.slice(2);
const times = JSON.parse(readFileSync(timesFile, 'utf8'));
const bytes = readFileSync(file);

// All that the engine asks of a browser.
const canvas = { width: 1, height: 1, clientWidth: 1, clientHeight: 1, addEventListener() {}, removeEventListener() {} };
canvas.getBoundingClientRect = () => ({ width: 1, height: 1 });
globalThis.window ??= globalThis;
globalThis.addEventListener ??= () => {};
globalThis.document ??= { addEventListener() {}, removeEventListener() {}, createElement: () => canvas };

const app = new AppBase(canvas);
const options = new AppOptions();
options.graphicsDevice = new NullGraphicsDevice(canvas);
options.componentSystems = [RenderComponentSystem, AnimComponentSystem];
options.resourceHandlers = [ContainerHandler];
app.init(options);

const contents = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
const name = basename(file);
const withContent = (buffer) => buffer.uri && (buffer.uri = asDataUri(buffer.uri, file));
const asset = new Asset('rig', 'container', { url: name, filename: name, contents }, null, {
  buffer: { preprocess: withContent },
});
app.assets.add(asset);
await new Promise((resolve, reject) => {
  asset.ready(resolve);
  asset.once('error', (error) => reject(new Error(error)));
  app.assets.load(asset);
});
const character = asset.resource.instantiateRenderEntity();
// As an application has it: the hierarchy of the file is below its own root.
const root = new Entity('Root', app);
root.addChild(character);
app.root.addChild(root);

// A layer for each animation, all at once. The last instant must not wrap around to the first.
character.addComponent('anim', { activate: true });
const tracks = asset.resource.animations.map((one) => one.resource);
const states = [{ name: 'START' }, { name: 'Clip', loop: false, defaultState: true }];
const transitions = [{ from: 'START', to: 'Clip' }];
const layers = tracks.map((_, number) => ({ name: `Layer ${number}`, states, transitions }));
if (tracks.length) character.anim.loadStateGraph(new AnimStateGraph({ layers, parameters: {} }));
tracks.forEach((track, number) => character.anim.assignAnimation('Clip', track, `Layer ${number}`, 1, false));
// The first update only enters the state, at its beginning.
app.systems.fire('animationUpdate', 0);

const parsed = glb(bytes, file);
const primitiveOf = new Map();
asset.resource.data.renders.forEach((render, number) => {
  render.meshes.forEach((mesh, primitive) => {
    primitiveOf.set(mesh, { number, primitive, name: parsed.json.meshes[number].name });
  });
});
const every = character.findComponents('render').flatMap((render) => render.meshInstances);
const skinned = every.filter((one) => one.skinInstance);
const shown = skinned.length ? skinned : every;

const streams = shown.map(({ mesh }) => {
  const [position, joints, weights] = [[], [], []];
  mesh.getPositions(position);
  mesh.getVertexStream(SEMANTIC_BLENDINDICES, joints);
  mesh.getVertexStream(SEMANTIC_BLENDWEIGHT, weights);
  return { position, joints, weights, count: position.length / 3 };
});
const positions = streams.map(({ count }) => new Float64Array(times.length * count * 3));
const vertex = new Vec4();
times.forEach((time, instant) => {
  for (const { name } of layers) character.anim.findAnimationLayer(name).activeStateCurrentTime = time;
  app.systems.fire('animationUpdate', 0);
  shown.forEach((one, number) => {
    const { position, joints, weights, count } = streams[number];
    one.skinInstance?.updateMatrixPalette(one.node, instant + 1);
    const palette = one.skinInstance?.matrixPalette;
    const toWorld = one.node.getWorldTransform();
    const morph = one.morphInstance;
    for (let index = 0; index < count; index++) {
      const at = position.slice(3 * index, 3 * index + 3);
      morph?.morph.targets.forEach((target, place) => {
        for (let axis = 0; axis < 3; axis++) at[axis] += morph.getWeight(place) * target.deltaPositions[3 * index + axis];
      });
      // As its vertex shader does (skin.js): the fourth coordinate is the sum of the weights, and the
      // perspective divides by it.
      const sum = palette ? [0, 0, 0, 0] : [...at, 1];
      for (let slot = 4 * index; palette && slot < 4 * index + 4; slot++) {
        const start = 12 * joints[slot];
        for (let row = 0; row < 3; row++) {
          const [x, y, z, w] = palette.subarray(start + 4 * row, start + 4 * row + 4);
          sum[row] += weights[slot] * (x * at[0] + y * at[1] + z * at[2] + w);
        }
        sum[3] += weights[slot];
      }
      toWorld.transformVec4(vertex.set(...sum), vertex);
      positions[number].set([vertex.x / vertex.w, vertex.y / vertex.w, vertex.z / vertex.w], (instant * count + index) * 3);
    }
  });
});

const head = shown.map(({ mesh }, number) => {
  const { name, number: mesh_, primitive } = primitiveOf.get(mesh);
  return {
    name,
    mesh: mesh_,
    primitive,
    vertices: streams[number].count,
    source: sources(parsed, parsed.json.meshes[mesh_].primitives[primitive]),
    rest: { position: streams[number].position },
  };
});
writeFileSync(headFile, JSON.stringify({ meshes: head }));
writeFileSync(dataFile, Buffer.concat(positions.map((part) => Buffer.from(part.buffer))));
// Nothing else ends the engine.
process.exit(0);
