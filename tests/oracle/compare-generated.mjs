// wasmeter against the oracle on random components (generate.mjs), from seed FROM up to but not
// including TO. A component that differs is kept in KEEP_DIR, if one is named.
//
//   node compare-generated.mjs WASMETER FROM TO [KEEP_DIR]

import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Comparison } from './comparison.mjs';
import { generateComponent } from './generate.mjs';
import { assemble } from './test/wat.mjs';

const [wasmeter, from, to, keep] = process.argv.slice(2);
if (!to) {
  console.error('usage: compare-generated.mjs WASMETER FROM TO [KEEP_DIR]');
  process.exit(64);
}

const comparison = new Comparison(wasmeter);
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
