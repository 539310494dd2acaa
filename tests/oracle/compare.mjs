// wasmeter against the oracle on every example component, with the inputs and
// uniforms of runs.mjs.
//
//   node compare.mjs WASMETER EXAMPLES_DIR [SOURCE_ROOT [WASMETER_OPTION...]]

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Comparison } from './comparison.mjs';
import { LISTED, runsOf } from './runs.mjs';

const [wasmeter, examples, sourceRoot = '.', ...extra] = process.argv.slice(2);
if (!examples) {
  console.error('usage: compare.mjs WASMETER EXAMPLES_DIR [SOURCE_ROOT [WASMETER_OPTION...]]');
  process.exit(64);
}

const comparison = new Comparison(wasmeter, extra);
const files = readdirSync(examples).filter((name) => name.endsWith('.wasm')).sort();
try {
  for (const file of files) {
    runsOf(file, sourceRoot).forEach((run, i) => comparison.compare(join(examples, file), run, `${file} run ${i}`));
  }
} finally {
  comparison.close();
}
for (const name of LISTED) {
  if (!files.includes(`${name}.wasm`)) comparison.failures.push(`${name}.wasm is listed in runs.mjs and was not built`);
}
process.exitCode = comparison.finish(`${files.length} components`, 60);
