// The components made from the core, under V8: their shape, their uniform, their
// limits (at each and one beyond), and that no request leaves a trace in the next.
//
//   COMPONENTS=FOLDER TARGETS=FOLDER node --test component.test.mjs

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { multipart } from '../oracle/multipart.mjs';
import { body, component, EMPTY_TYPE, I32, I64, i32const, i64const, outputWord, uleb } from './encoder.mjs';

const folder = process.env.COMPONENTS;
const NAMES = { pages: 'qip-interpret-memory-page-writes-csv', content: 'qip-content-interpreter' };
const file = (which) => join(folder, `${NAMES[which]}.wasm`);
const MODULES = Object.fromEntries(Object.keys(NAMES).map((which) => [which, new WebAssembly.Module(readFileSync(file(which)))]));

const instantiate = (which) => new WebAssembly.Instance(MODULES[which]).exports;
const REJECTION = BigInt.asIntN(64, 1n << 63n);
const HEADER = 'page,region,initialized_bytes,reads,bytes_read,writes,bytes_written,distinct_bytes_written,rewrite_ratio\n';
const DEFAULT_BUDGET = 1_000_000;
const LARGEST_BUDGET = 10_000_000;

const request = (module, input, uniforms = {}) => multipart([
  { name: 'component', body: module, filename: 'x.wasm' },
  ...(input === undefined ? [] : [{ name: 'input', body: input }]),
  ...Object.entries(uniforms).map(([key, value]) => ({ name: `uniforms[${key}]`, body: value })),
]);

// The rendered bytes, or null for a rejection (which is always the same word).
function render(exports, bytes, budget) {
  new Uint8Array(exports.memory.buffer).set(bytes, exports.input_ptr());
  if (budget !== undefined) exports.uniform_set_instruction_budget(budget);
  const word = exports.render(bytes.length);
  if (word < 0n) {
    assert.equal(word, REJECTION);
    return null;
  }
  const [address, length] = [Number(word >> 32n), Number(word & 0xffffffffn)];
  return Buffer.from(exports.memory.buffer.slice(address, address + length));
}

const shared = instantiate('pages');
const accepts = (module, budget = LARGEST_BUDGET) => render(shared, request(module), budget) !== null;

// ---- Shape

for (const which of Object.keys(NAMES)) {
  test(`${which}: a valid module that imports nothing and exports the contract`, () => {
    execFileSync('wasm-validate', [file(which)]);
    assert.ok(readFileSync(file(which)).length < 200 * 1024, 'it stays small');
    assert.deepEqual(WebAssembly.Module.imports(MODULES[which]), []);
    const capacity = which === 'pages' ? 'output_utf8_cap' : 'output_bytes_cap';
    assert.deepEqual(WebAssembly.Module.exports(MODULES[which]).map(({ name, kind }) => `${kind} ${name}`).sort(), [
      'function failure_modes_per_input_offset', 'function input_bytes_cap', 'function input_content_type_ptr',
      'function input_content_type_size', 'function input_ptr', 'function output_content_type_ptr',
      'function output_content_type_size', `function ${capacity}`, 'function render',
      'function uniform_set_instruction_budget', 'memory memory'].sort());
    const listing = execFileSync('wasm-objdump', ['-x', file(which)], { encoding: 'latin1' });
    assert.match(listing, /memory\[0\] pages: initial=(\d+) max=\1\n/);
    assert.doesNotMatch(listing, /^Start:/m);
    assert.doesNotMatch(execFileSync('wasm-objdump', ['-d', file(which)], { encoding: 'latin1', maxBuffer: 1 << 28 }), /memory\.grow/);
  });

  test(`${which}: content types and capacities`, () => {
    const exports = instantiate(which);
    const text = (side) => Buffer.from(exports.memory.buffer, exports[`${side}_content_type_ptr`](), exports[`${side}_content_type_size`]()).toString();
    assert.equal(text('input'), 'multipart/form-data;boundary=uuid-00000000-0000-0000-0000-000000000000');
    assert.equal(text('output'), which === 'pages' ? 'text/csv' : 'application/octet-stream');
    assert.equal(exports.input_bytes_cap(), 9_469_952);
    assert.equal(exports.failure_modes_per_input_offset(), 0);
    if (which === 'content') assert.equal(exports.output_bytes_cap(), 192 * 1024 * 1024);
  });

  test(`${which}: getters are one constant`, () => {
    const text = execFileSync('wasm2wat', ['--enable-all', file(which)], { encoding: 'latin1', maxBuffer: 1 << 28 });
    for (const { name } of WebAssembly.Module.exports(MODULES[which])) {
      if (['memory', 'render', 'uniform_set_instruction_budget'].includes(name)) continue;
      const index = new RegExp(`\\(export "${name}" \\(func (\\d+)\\)\\)`).exec(text)[1];
      assert.match(text, new RegExp(`\\(func \\(;${index};\\) \\(type \\d+\\) \\(result i32\\)\\s*i32\\.const -?\\d+\\)`), name);
    }
  });

  test(`${which}: input beyond the capacity traps, up to it is a request`, () => {
    const exports = instantiate(which);
    assert.equal(exports.render(exports.input_bytes_cap()), REJECTION);
    assert.throws(() => exports.render(exports.input_bytes_cap() + 1), WebAssembly.RuntimeError);
    assert.throws(() => instantiate(which).render(-1), WebAssembly.RuntimeError);
  });
}

// ---- Budget

test('the budget is clamped, tells what it applied, and returns to the default', () => {
  const exports = instantiate('pages');
  const applied = [[0, 1], [1, 1], [5, 5], [LARGEST_BUDGET, LARGEST_BUDGET], [LARGEST_BUDGET + 1, LARGEST_BUDGET], [-1, LARGEST_BUDGET]];
  for (const [asked, got] of applied) assert.equal(exports.uniform_set_instruction_budget(asked), got);
  // A loop of five instructions a round, seven more before and after it.
  const loop = (rounds) => component({
    code: [...i32const(rounds), 0x21, 1, 0x03, 0x40, 0x20, 1, ...i32const(1), 0x6b, 0x22, 1, 0x0d, 0, 0x0b], locals: [[1, I32]],
  });
  const instructions = (rounds) => 2 + 1 + 5 * rounds + 1 + 2;
  const exact = loop(1000);
  assert.equal(render(exports, request(exact), instructions(1000)).toString(), HEADER);
  assert.equal(render(exports, request(exact), instructions(1000) - 1), null);
  const most = Math.floor((DEFAULT_BUDGET - 6) / 5);
  for (const spoil of [request(exact), Buffer.from('no request'), request(loop(LARGEST_BUDGET)), request(component({ code: [0x00] }))]) {
    render(exports, spoil, 10);
    assert.notEqual(render(exports, request(loop(most))), null, 'the default is enough for a million');
    render(exports, spoil, LARGEST_BUDGET);
    assert.equal(render(exports, request(loop(most + 1))), null, 'and for no more');
  }
});

// ---- Independence


// Writes every byte of 3072 pages; nothing of that may be seen by the next target.
const dirty = component({ memory: [3072, 3072], code: [...i32const(0), ...i32const(0xff), ...i32const(3072 * 65536), 0xfc, 11, 0] });
// Sums a word of each 32 KiB and writes the sum: it must be zero.
const clean = component({
  memory: [3072, 3072], word: outputWord(0, 8), locals: [[1, I32], [1, I64]],
  code: [
    0x03, 0x40,
    0x20, 1, 0x29, 3, 0, 0x20, 2, 0x84, 0x21, 2, // sum |= load
    0x20, 1, ...i32const(32768), 0x6a, 0x22, 1, ...i32const(3072 * 65536), 0x49, 0x0d, 0, 0x0b,
    ...i32const(0), 0x20, 2, 0x37, 3, 0,
  ],
});

test('a target sees zeroes whatever the one before it wrote', () => {
  const exports = instantiate('content');
  assert.equal(render(exports, request(clean), LARGEST_BUDGET).readBigUInt64LE(), 0n);
  assert.equal(render(exports, request(dirty), LARGEST_BUDGET).length, 0);
  assert.equal(render(exports, request(clean), LARGEST_BUDGET).readBigUInt64LE(), 0n);
});

test('requests of every ending leave no trace in the next report', () => {
  const exports = instantiate('pages');
  const good = request(component({ memory: [40, 3072], datas: 3, code: [...i32const(65534), ...i64const(-1n), 0x37, 0, 0], word: outputWord(65530, 10) }));
  const wanted = `${HEADER}0,data+output,3,0,0,1,2,2,1.00\n1,output,0,0,0,1,6,6,1.00\n`;
  assert.equal(render(exports, good).toString(), wanted);
  const endings = {
    trap: request(component({ code: [...i32const(70000), ...i64const(-1n), 0x37, 0, 0] })),
    exhausted: request(component({ code: [0x03, 0x40, ...i32const(8), ...i32const(1), 0x36, 0, 0, 0x0c, 0, 0x0b] })),
    rejected: request(component({ word: 1n << 63n })),
    violation: request(component({ word: outputWord(65536, 1) })),
    'memory of every page': request(dirty),
    'no module': request(Buffer.from('hello')),
    'no request': Buffer.from('hello'),
    'unknown uniform': request(component(), undefined, { speed: '1' }),
    'input for a generator': request(component(), 'x'),
    'grown memory': request(component({ memory: [1, 3072], code: [...i32const(100), 0x40, 0, 0x1a, ...i32const(6000000), ...i64const(-1n), 0x37, 0, 0] })),
  };
  for (const [name, bytes] of Object.entries(endings)) {
    const finishes = ['memory of every page', 'grown memory'].includes(name);
    assert.equal(render(exports, bytes, LARGEST_BUDGET) !== null, finishes, name);
    assert.equal(render(exports, good).toString(), wanted, `after ${name}`);
  }
});

// ---- Requests

test('sixty-four uniforms pass, sixty-five do not', () => {
  const setters = (count) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`u${i}`, String(i)]));
  const exports = instantiate('content');
  // A target that has 65 setters and sums what it gets: the request's bound decides.
  const target = readFileSync(join(process.env.TARGETS, 'uniforms64.wasm'));
  assert.equal(render(exports, request(target, undefined, setters(64))).readUInt32LE(), 64 * 63 / 2);
  assert.equal(render(exports, request(target, undefined, setters(65))), null);
});

// ---- Limits: at each, and one beyond

const nop = (count) => Array(count).fill(0x01);
const EXTRA = { types: 3, functions: 2, exports: 3 }; // what every module has
const empty = (count) => Array(count).fill([EMPTY_TYPE, body([])]);
const BASE_INSTRUCTIONS = 4; // render and the getter
const nested = (depth) => [...Array(depth).fill([0x02, 0x40]).flat(), ...Array(depth).fill(0x0b)];
// br_table with that many entries, the default included.
const brTable = (targets) => [...i32const(0), 0x0e, ...uleb(targets - 1), ...Array(targets).fill(0)];
// Recursion to `depth` frames, render included.
const recursion = (depth) => component({
  code: [...i32const(depth - 2), 0x10, 2], types: [{ params: [I32] }],
  functions: [[3, body([0x20, 0, 0x04, 0x40, 0x20, 0, ...i32const(1), 0x6b, 0x10, 2, 0x0b])]],
});

const LIMITS = {
  'module bytes': [1 << 20, (n) => component({ pad: n })],
  types: [2048, (n) => component({ types: Array.from({ length: n - EXTRA.types }, () => ({ params: [I32, I64] })) })],
  functions: [4096, (n) => component({ functions: empty(n - EXTRA.functions) })],
  globals: [2048, (n) => component({ globals: n })],
  exports: [1024, (n) => component({ exports: n - EXTRA.exports })],
  'table entries': [4096, (n) => component({ table: n })],
  'element segments': [512, (n) => component({ table: 1, elements: n })],
  'data segments': [512, (n) => component({ datas: n })],
  parameters: [64, (n) => component({ types: [{ params: Array(n).fill(I32) }] })],
  results: [64, (n) => component({ types: [{ results: Array(n).fill(I32) }] })],
  'static instructions': [131072, (n) => component({ functions: [[EMPTY_TYPE, body(nop(n - BASE_INSTRUCTIONS - 1))]] })],
  // Two tables: V8 has a limit of its own on one.
  'branch targets': [65536, (n) => component({ functions: [[EMPTY_TYPE, body(brTable(n - 30000))], [EMPTY_TYPE, body(brTable(30000))]] })],
  'declared locals': [131072, (n) => component({ functions: [...Array(4)].map((_, i) => [EMPTY_TYPE, body([], [[i < 3 ? 32768 : n - 3 * 32768, I32]])]) })],
  'control nesting': [4096, (n) => component({ code: nested(n - 1) })],
  frames: [256, recursion],
  'memory pages': [3072, (n) => component({ memory: [n, n] })],
};

for (const [name, [limit, make]] of Object.entries(LIMITS)) {
  test(`limit: ${limit} ${name} and no more`, () => {
    const [at, beyond] = [make(limit), make(limit + 1)];
    assert.ok(WebAssembly.validate(at) && WebAssembly.validate(beyond), 'both are valid modules');
    assert.ok(accepts(at), `${limit} are accepted`);
    assert.ok(!accepts(beyond), `${limit + 1} are not`);
  });
}

test('several memories and tables, up to 16 of each', () => {
  for (const what of ['memories', 'tables']) {
    const make = (n) => component({ [what]: n });
    const own = what === 'memories' ? 1 : 0; // a component has a memory anyhow
    assert.ok(accepts(make(16 - own)), what);
    assert.ok(!accepts(make(17 - own)), what);
  }
});

test('a declared maximum beyond the limit is fine: growth stops at it', () => {
  const grow = (pages) => component({ memory: [1, 65536], code: [...i32const(pages), 0x40, 0, ...i32const(-1), 0x46, 0x04, 0x40, 0x00, 0x0b] });
  assert.ok(accepts(grow(3071)));
  assert.ok(!accepts(grow(3072)), 'memory.grow answers -1, and the target traps');
});

test('slots of all frames together are bounded', () => {
  const wide = (frames) => component({
    code: [...i32const(frames - 1), 0x10, 2], types: [{ params: [I32] }],
    functions: [[3, body([0x20, 0, 0x04, 0x40, 0x20, 0, ...i32const(1), 0x6b, 0x10, 2, 0x0b], [[16000, I64]])]],
  });
  assert.ok(accepts(wide(4)));
  assert.ok(!accepts(wide(5)));
});

test('every limit at once fits into the arena', () => {
  const module = component({
    types: Array.from({ length: 2045 }, (_, i) => ({ params: Array.from({ length: 64 }, (__, k) => ((i >> (k % 11)) & 1 ? I32 : I64)), results: Array(64).fill(I64) })),
    functions: [
      ...[...Array(4)].map(() => [EMPTY_TYPE, body([], [[32768, I32]])]),
      [EMPTY_TYPE, body(brTable(65536 - 30000))], [EMPTY_TYPE, body(brTable(30000))],
      ...Array(4087).fill([EMPTY_TYPE, body(nop(12))]),
      [EMPTY_TYPE, body(nested(4095))],
    ],
    globals: 2048, exports: 1021, table: 4096, elements: 512, datas: 512, memory: [3072, 3072], pad: 1 << 20,
  });
  assert.ok(accepts(module));
});
