// The opcode table against outside tools: every row goes through wasm-tools'
// assembler and printer, the encoding space is searched for instructions that the
// table lacks, and a validator confirms every plain signature, lane count and
// access width.
//
// Environment: CC, the compiler command; WASMETER_SOURCE, the source tree.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { assemble, print } from '../../spec-tests/assembler.mjs';
import { ENVIRONMENT, FIELDS, bodies, instruction, leb, opcodeBytes, readTable } from './table.mjs';

const root = process.env.WASMETER_SOURCE;
const table = readTable((process.env.CC || 'cc').split(' '), root);

const END = 0x0b;
const hex = (bytes) => Buffer.from(bytes).toString('hex');
const moduleOf = (functions, around = ENVIRONMENT) => `(module ${around}\n${functions.join('\n')})`;

const inFunction = (text) => `(func (local i32 i32) ${text})`;

test('the table has all instructions of the standard, each once', () => {
  assert.equal(table.length, 499);
  assert.equal(new Set(table.map((row) => hex(opcodeBytes(row)))).size, table.length);
  assert.equal(new Set(table.map(({ name }) => name)).size, table.length);
});

test('text to bytes: the assembler encodes each row as the table says', async () => {
  const expected = table.map(instruction);
  const binary = await assemble(moduleOf(expected.map(({ text }) => inFunction(text))));
  const got = bodies(binary);
  assert.equal(got.length, table.length);
  table.forEach(({ name }, i) => {
    assert.equal(hex(got[i]), hex([...expected[i].bytes, END]), `${name}: ${expected[i].text}`);
  });
});

test('bytes to text: the printer gives the table\'s spelling', async () => {
  for (const row of table) {
    const { text } = instruction(row);
    const printed = await print(await assemble(moduleOf([inFunction(text)])));
    const words = printed.split('\n').map((line) => line.trim().split(' ')[0]);
    assert.ok(words.includes(row.text), `${row.name}: ${printed}`);
  }
});

// A module whose function is the opcode and many zeros, which decode as its
// immediates and as `unreachable`. Two endings: an opcode may open a block.
function probe(opcode, ends) {
  const body = [0, ...opcode, ...Array(40).fill(0), ...Array(ends).fill(END)];
  const code = [1, ...leb(body.length), ...body];
  const header = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0];
  return Uint8Array.from([...header, 10, ...leb(code.length), ...code]);
}

// The printer's word for an opcode, null when there is no such instruction.
async function outsideName(opcode) {
  for (const ends of [1, 2]) {
    try {
      const printed = await print(probe(opcode, ends));
      return printed.split('\n').find((line) => line.startsWith('    ')).trim().split(' ')[0];
    } catch (error) {
      if (/illegal opcode|unknown 0x.. subopcode/.test(error.message)) return null;
    }
  }
  return '(its immediates are not zeros)';
}

// What wasm-tools knows beyond WebAssembly 3.0: the legacy exception form, stack
// switching, custom descriptors, memory control and wide arithmetic.
const BEYOND = new Set([
  '06', '07', '09', '18', '19', 'e0', 'e1', 'e2', 'e3', 'e4', 'e5', 'e6',
  ...[0x12, 0x13, 0x14, 0x15, 0x16].map((code) => hex([0xfc, code])),
]);
const DESCRIPTORS = [0x20, 0x26]; // prefix 0xfb
const PREFIXES = [0xfb, 0xfc, 0xfd, 0xfe];

test('no instruction is missing: the whole encoding space, asked of the printer', async () => {
  const known = new Map(table.map((row) => [hex(opcodeBytes(row)), row]));
  const points = [];
  for (let byte = 0; byte < 256; byte++) if (!PREFIXES.includes(byte)) points.push([byte]);
  for (const prefix of [0xfb, 0xfc, 0xfd]) {
    for (let code = 0; code < 0x180; code++) points.push([prefix, ...leb(code)]);
  }
  const [missing, unknown] = [[], []];
  for (const point of points) {
    const name = await outsideName(point);
    const row = known.get(hex(point));
    const beyond = BEYOND.has(hex(point)) || (point[0] === 0xfb && point[1] >= DESCRIPTORS[0] && point[1] <= DESCRIPTORS[1]);
    if (name && !row && !beyond) missing.push(`${hex(point)} ${name}`);
    if (!name && row) unknown.push(row.name);
  }
  assert.deepEqual({ missing, unknown }, { missing: [], unknown: [] });
});

const TYPES = { i: 'i32', I: 'i64', f: 'f32', F: 'f64', v: 'v128', a: 'i32' };
const typesOf = (letters) => [...letters].map((letter) => TYPES[letter]).join(' ');

// A function whose parameters and results are the signature's: it is valid exactly
// when the instruction's type is that one.
function typedFunction(row, text = instruction(row).text) {
  const [params, results] = row.signature.split(':');
  const operands = [...params].map((_, i) => `local.get ${i}`).join(' ');
  return `(func (param ${typesOf(params)}) (result ${typesOf(results)}) ${operands} ${text})`;
}

const plain = table.filter(({ signature }) => signature !== '');

test('a validator accepts each plain signature', async () => {
  assert.ok(plain.length > 400);
  const folder = mkdtempSync(join(tmpdir(), 'wasmeter-signatures-'));
  try {
    const path = join(folder, 'all.wasm');
    writeFileSync(path, await assemble(moduleOf(plain.map((row) => typedFunction(row)), FIELDS)));
    const { status, stderr } = spawnSync('wasm-validate', ['--enable-all', path], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const accepted = async (row, text) =>
  WebAssembly.validate(await assemble(`(module (memory 1) ${typedFunction(row, text)})`));

test('access widths are the largest alignment, loads give and stores take', async () => {
  const accesses = table.filter(({ access }) => access !== 'NONE');
  assert.equal(accesses.length, 45);
  for (const row of accesses) {
    const lane = row.immediates === 'MEMARG_LANE' ? ' 0' : '';
    assert.ok(await accepted(row, `${row.text} align=${row.bytes}${lane}`), `${row.name} align=${row.bytes}`);
    assert.ok(!(await accepted(row, `${row.text} align=${2 * row.bytes}${lane}`)), `${row.name} align=${2 * row.bytes}`);
    assert.equal(row.access, row.signature.endsWith(':') ? 'STORE' : 'LOAD', row.name);
  }
  const named = table.filter(({ text }) => /\.(load|store)/.test(text));
  assert.deepEqual(accesses, named);
});

test('lane widths give the number of lanes', async () => {
  const lanes = table.filter(({ immediates }) => immediates === 'LANE' || immediates === 'MEMARG_LANE');
  assert.equal(lanes.length, 22);
  for (const row of lanes) {
    assert.ok(await accepted(row, `${row.text} ${16 / row.bytes - 1}`), row.name);
    assert.ok(!(await accepted(row, `${row.text} ${16 / row.bytes}`)), row.name);
  }
});
