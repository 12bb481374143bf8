// The errors that Khronos' validator finds in glTF files: node validate.mjs FILE... prints one JSON object, the
// codes of the errors by file.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import validator from 'gltf-validator';

const ERROR = 0;

const found = {};
for (const file of process.argv.slice(2)) {
  const beside = async (uri) => new Uint8Array(readFileSync(join(dirname(file), decodeURIComponent(uri))));
  const report = await validator.validateBytes(new Uint8Array(readFileSync(file)), {
    uri: file,
    externalResourceFunction: beside,
  });
  const errors = report.issues.messages.filter(({ severity }) => severity === ERROR);
  found[file] = [...new Set(errors.map(({ code }) => code))];
}
process.stdout.write(JSON.stringify(found));
