// The rows of decoder/opcodes.def, by way of a C preprocessor, and for each row an
// instruction in text and the bytes that it must become. What follows an opcode
// is written down here a second time, by kind of immediate, as the binary format
// has it: that is the point.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LISTING = `#define WM_OP(NAME, prefix, code, text, immediates, signature, access, bytes) \\
  ROW #NAME prefix code text #immediates signature #access bytes END
#include "decoder/opcodes.def"
`;

const ROW =
  /ROW "(\w+)" 0x(\w+) 0x(\w+) "([^"]*)" "(\w+)" "([^"]*)" "(\w+)" (\d+) END/g;

// compiler: the command as an array; root: the source tree.
export function readTable(compiler, root) {
  const folder = mkdtempSync(join(tmpdir(), 'wasmeter-opcodes-'));
  try {
    const source = join(folder, 'list.c');
    writeFileSync(source, LISTING);
    const text = execFileSync(compiler[0], [...compiler.slice(1), '-E', '-P', '-I', root, source], { encoding: 'utf8' });
    const rows = [...text.matchAll(ROW)].map((match) => ({
      name: match[1],
      prefix: parseInt(match[2], 16),
      code: parseInt(match[3], 16),
      text: match[4],
      immediates: match[5],
      signature: match[6],
      access: match[7],
      bytes: Number(match[8]),
    }));
    if (rows.length !== text.split('ROW ').length - 1) throw new Error('a row of the table was not understood');
    return rows;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

// The module around the instructions: types 0 (func), 1 (struct), 2 (array), and two
// of whatever an instruction names, so that an order of indices shows.
export const FIELDS = `
  (memory 1) (memory 1) (table 1 funcref) (table 1 funcref) (tag)
  (global (mut i32) (i32.const 0)) (elem func) (elem func) (data "") (data "")`;
export const ENVIRONMENT =
  '(type (func)) (type (struct (field (mut i32)) (field (mut i8)))) (type (array (mut i8)))' + FIELDS;

const HEAP_FUNC = 0x70;
const REF_NULL_PREFIX = { HEAP: '(ref func)', HEAP_NULL: '(ref null func)' };
const typeIndex = (text) => (text.startsWith('array.') ? 2 : text.startsWith('struct.') ? 1 : 0);

// kind: [text of the immediates, their bytes]
const IMMEDIATES = {
  NONE: () => ['', []],
  LABEL: () => ['0', [0]],
  BR_TABLE: () => ['0 1 0', [2, 0, 1, 0]],
  FUNC: () => ['0', [0]],
  TYPE: ({ text }) => [`${typeIndex(text)}`, [typeIndex(text)]],
  CALL_INDIRECT: () => ['1 (type 0)', [0, 1]],
  TAG: () => ['0', [0]],
  SELECT_T: () => ['(result i32)', [1, 0x7f]],
  LOCAL: () => ['1', [1]],
  GLOBAL: () => ['0', [0]],
  TABLE: () => ['1', [1]],
  TABLE_TABLE: () => ['1 0', [1, 0]],
  ELEM: () => ['1', [1]],
  ELEM_TABLE: () => ['1 0', [0, 1]], // the text names the table first
  MEMORY: () => ['1', [1]],
  MEMORY_MEMORY: () => ['1 0', [1, 0]],
  DATA: () => ['1', [1]],
  DATA_MEMORY: () => ['1 0', [0, 1]], // the text names the memory first
  MEMARG: () => ['offset=200 align=1', [0, 0xc8, 1]],
  MEMARG_LANE: () => ['offset=200 align=1 1', [0, 0xc8, 1, 1]],
  LANE: () => ['1', [1]],
  I32: () => ['-2', [0x7e]],
  I64: () => ['-2', [0x7e]],
  F32: () => ['1', [0, 0, 0x80, 0x3f]],
  F64: () => ['1', [0, 0, 0, 0, 0, 0, 0xf0, 0x3f]],
  V128: () => ['i8x16 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15', [...Array(16).keys()]],
  SHUFFLE: () => ['15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0', [...Array(16).keys()].reverse()],
  HEAP: () => [REF_NULL_PREFIX.HEAP, [HEAP_FUNC]],
  HEAP_NULL: ({ text }) => [text === 'ref.null' ? 'func' : REF_NULL_PREFIX.HEAP_NULL, [HEAP_FUNC]],
  BR_CAST: () => ['0 (ref null any) (ref eq)', [1, 0, 0x6e, 0x6d]],
  FIELD: ({ text }) => (/_[su]$/.test(text) ? ['1 1', [1, 1]] : ['1 0', [1, 0]]),
  TYPE_COUNT: () => ['2 3', [2, 3]],
  TYPE_TYPE: () => ['2 2', [2, 2]],
  TYPE_DATA: () => ['2 1', [2, 1]],
  TYPE_ELEM: () => ['2 1', [2, 1]],
  BLOCK: () => ['', [0x40]],
  TRY_TABLE: () => ['(catch 0 0)', [0x40, 1, 0, 0, 0]],
};

export function leb(value) {
  const out = [];
  for (; value >= 0x80; value = Math.floor(value / 128)) out.push((value & 0x7f) | 0x80);
  return [...out, value];
}

export const opcodeBytes = ({ prefix, code }) => (prefix ? [prefix, ...leb(code)] : [code]);

const END = 0x0b;
const AROUND = {
  BLOCK: ['', ' end', [], [END]],
  LOOP: ['', ' end', [], [END]],
  IF: ['', ' end', [], [END]],
  TRY_TABLE: ['', ' end', [], [END]],
  ELSE: ['if ', ' end', [0x04, 0x40], [END]],
  END: ['block ', '', [0x02, 0x40], []],
};

// { text, bytes } of an instruction of that row, with what must stand around it.
export function instruction(row) {
  if (!Object.hasOwn(IMMEDIATES, row.immediates)) throw new Error(`unknown immediates: ${row.immediates}`);
  const [text, bytes] = IMMEDIATES[row.immediates](row);
  const [before, after, bytesBefore, bytesAfter] = AROUND[row.name] ?? ['', '', [], []];
  return {
    text: `${before}${row.text} ${text}${after}`,
    bytes: [...bytesBefore, ...opcodeBytes(row), ...bytes, ...bytesAfter],
  };
}

// The function bodies of a binary module, without sizes and local declarations.
export function bodies(module) {
  let at = 8;
  const unsigned = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = module[at++];
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  };
  while (at < module.length) {
    const id = module[at++];
    const size = unsigned();
    if (id !== 10) {
      at += size;
      continue;
    }
    return Array.from({ length: unsigned() }, () => {
      const end = unsigned() + at;
      for (let groups = unsigned(); groups > 0; groups--) {
        unsigned();
        at++;
      }
      const code = [...module.subarray(at, end)];
      at = end;
      return code;
    });
  }
  return [];
}

export function withoutCustomSections(module) {
  const kept = [module.subarray(0, 8)];
  for (let at = 8; at < module.length; ) {
    const start = at;
    const id = module[at++];
    let size = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = module[at++];
      size += (byte & 0x7f) * scale;
      if (byte < 0x80) break;
    }
    at += size;
    if (id !== 0) kept.push(module.subarray(start, at));
  }
  return Buffer.concat(kept);
}
