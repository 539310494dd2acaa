// node limits_everywhere.mjs NATIVE WASM32 gc.wasm: the rows of limits_everywhere.c run by the native build and by the wasm32 build under V8 end
// alike: same instruction count, same state, same trap. Every kind of limit must have been met.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';

const [native, wasm32, module] = process.argv.slice(2);
const bytes = readFileSync(module);
const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(wasm32)));
new Uint8Array(exports.memory.buffer, exports.limits_module(), bytes.length).set(bytes);

const lines = execFileSync(native, [module], { encoding: 'utf8' }).trimEnd().split('\n');
const here = lines.map((line) => line.split(' ')[0]);
const there = here.map((_, row) => String(BigInt.asUintN(64, exports.limits_run(row, bytes.length))));
assert.equal(here.length, exports.limits_row_count());
assert.deepEqual(there, here);

const ends = new Map();
for (const [row, line] of lines.entries()) {
  const [word, ...words] = line.split(' ');
  const text = words.join(' ') || 'done';
  assert.notEqual(word, '18446744073709551615', `row ${row} could not be run`);
  console.log(`${row}: ${BigInt(word) >> 16n} instructions, ${text}`);
  ends.set(text, (ends.get(text) ?? 0) + 1);
}
for (const [text, least] of [['done', 4], ['call stack exhausted', 2], ['heap limit reached', 5], ['uncaught exception', 1]])
  assert.ok((ends.get(text) ?? 0) >= least, `${text}: ${ends.get(text) ?? 0} rows`);
