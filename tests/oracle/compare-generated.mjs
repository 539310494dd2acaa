// wasmeter against the oracle on random components (generate.mjs), from seed FROM
// up to but not including TO. With --keep, a component that differs is kept in DIR.
//
//   node compare-generated.mjs [--keep=DIR] WASMETER FROM TO [WASMETER_OPTION...]

import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Comparison } from './comparison.mjs';
import { generateComponent } from './generate.mjs';
import { assemble } from './test/wat.mjs';

const args = process.argv.slice(2);
const keep = args[0]?.startsWith('--keep=') ? args.shift().slice('--keep='.length) : null;
const [wasmeter, from, to, ...extra] = args;
if (!to) {
  console.error('usage: compare-generated.mjs [--keep=DIR] WASMETER FROM TO [WASMETER_OPTION...]');
  process.exit(64);
}

const comparison = new Comparison(wasmeter, extra);
try {
  for (let seed = Number(from); seed < Number(to); seed++) {
    const path = join(comparison.folder, `${seed}.wasm`);
    writeFileSync(path, assemble(generateComponent(seed)));
    const before = comparison.failures.length;
    comparison.compare(path, { uniforms: seed % 2 ? { seed: String(seed) } : {} }, `seed ${seed}`);
    if (keep && comparison.failures.length > before) copyFileSync(path, join(keep, `${seed}.wasm`));
  }
} finally {
  comparison.close();
}
process.exitCode = comparison.finish(`seeds ${from} to ${to}`, Number(to) - Number(from));
