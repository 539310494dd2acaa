// Rewrites a module in its flat text form (text-form.mjs: one instruction a line,
// numbers for names) so that it tells what it does:
//
//   accesses: every load, store, memory.copy, memory.fill, memory.init and write
//     to global 0 goes through a helper function that does the same and then
//     calls a JavaScript import of module "oracle". Reports come after the
//     access, so one that traps is not told.
//   counts: every straight-line run of instructions adds its length to a counter
//     global; calls, branches and back-edges have their own; see counter.mjs.
//
// Imports come before all functions, so function indices in the text are shifted.
// Instructions that the oracle does not understand are an error.

import { Counter } from './counter.mjs';
import { toBinary, toText } from './text-form.mjs';

const IMPORTS = {
  load: '(param i32 i32 i32)', // address, static offset, width
  store: '(param i32 i32 i32)',
  copy: '(param i32 i32 i32)', // destination, source, length
  fill: '(param i32 i32)', // destination, length; memory.init is told as a fill
  global: '(param i32)', // the value written to global 0
};

// bytes: a module without imports. options: accesses, counts, and stackPointer,
// which says that global 0 is a mutable i32. Returns the rewritten binary.
export function rewrite(bytes, options) {
  const { accesses = false, counts = false } = options;
  const shift = accesses ? Object.keys(IMPORTS).length : 0;
  const helpers = new Helpers();
  const imports = Object.entries(IMPORTS).map(([name, type]) =>
    `  (import "oracle" "${name}" (func $report_${name} ${type}))`);
  const fields = toText(bytes).flatMap((field) =>
    typeof field === 'string'
      ? [shiftField(field, shift)]
      : rewriteFunction(field, { ...options, shift, helpers }));
  return toBinary([
    '(module',
    ...(accesses ? imports : []),
    ...fields,
    ...helpers.text(),
    ...(counts ? Counter.definitions() : []),
    ')\n',
  ].join('\n'));
}

function shiftField(line, shift) {
  if (line.startsWith('  (export ') || line.startsWith('  (start ')) {
    return line.replace(/\((func|start) (\d+)\)/, (_, kind, index) => `(${kind} ${Number(index) + shift})`);
  }
  if (!/^ {2}\((elem|global|table) /.test(line)) return line;
  const shifted = line.replace(/\(ref\.func (\d+)\)/g, (_, index) => `(ref.func ${Number(index) + shift})`);
  return shifted.replace(/ func((?: \d+)+)/, (_, list) =>
    ' func' + list.replace(/\d+/g, (index) => Number(index) + shift));
}

function rewriteFunction({ head, locals, instructions }, { accesses, counts, stackPointer, shift, helpers }) {
  const out = [`  (func ${head}`, locals];
  const counter = counts ? new Counter(out, helpers) : null;
  const tap = accesses ? (instruction) => tapped(instruction, stackPointer, helpers) : ({ text }) => text;
  counter?.enter();
  for (const { op, text } of instructions) {
    const instruction = { op, text: shiftInstruction(text, shift) };
    counter?.before(instruction);
    out.push(tap(instruction));
    counter?.after(instruction);
  }
  counter?.leave();
  out.push('  )');
  return out;
}

function shiftInstruction(text, shift) {
  return text.replace(/^(call|return_call|ref\.func) (\d+)$/, (_, op, index) => `${op} ${Number(index) + shift}`);
}

// Helper functions, one for each distinct instruction text.
export class Helpers {
  constructor() {
    this.byText = new Map();
  }

  name(key, define) {
    if (!this.byText.has(key)) {
      const name = `$helper_${this.byText.size}`;
      this.byText.set(key, { name, text: define(name) });
    }
    return this.byText.get(key).name;
  }

  text() {
    return [...this.byText.values()].map(({ text }) => text);
  }
}

const WIDTH = { i32: 4, i64: 8, f32: 4, f64: 8, v128: 16 };

// { kind, width, params, result } of an instruction that reads or writes memory.
export function accessOf(op) {
  let match;
  const access = (kind, width, type, lane = false) => ({
    kind,
    width,
    params: kind === 'store' ? ['i32', type] : lane ? ['i32', 'v128'] : ['i32'],
    result: kind === 'store' ? null : type,
  });
  if ((match = /^(i32|i64|f32|f64|v128)\.(load|store)$/.exec(op))) {
    return access(match[2], WIDTH[match[1]], match[1]);
  }
  if ((match = /^(i32|i64)\.load(8|16|32)_[su]$/.exec(op))) return access('load', match[2] / 8, match[1]);
  if ((match = /^(i32|i64)\.store(8|16|32)$/.exec(op))) return access('store', match[2] / 8, match[1]);
  if (/^v128\.load(8x8|16x4|32x2)_[su]$/.test(op)) return access('load', 8, 'v128');
  if ((match = /^v128\.load(8|16|32|64)_splat$/.exec(op))) return access('load', match[1] / 8, 'v128');
  if ((match = /^v128\.load(32|64)_zero$/.exec(op))) return access('load', match[1] / 8, 'v128');
  if ((match = /^v128\.(load|store)(8|16|32|64)_lane$/.exec(op))) {
    return access(match[1], match[2] / 8, 'v128', true);
  }
  return null;
}

function tapped({ op, text }, stackPointer, helpers) {
  const access = accessOf(op);
  if (access) return `call ${helpers.name(text, (name) => accessHelper(name, access, text))}`;
  if (op === 'memory.copy' || op === 'memory.fill' || op === 'memory.init') {
    return `call ${helpers.name(text, (name) => bulkHelper(name, op, text))}`;
  }
  if (stackPointer && text === 'global.set 0') return globalWrite(helpers);
  const inert = op === 'memory.size' || op === 'memory.grow';
  if (!inert && /load|store|atomic|^memory\./.test(op)) throw new Error(`the oracle does not know ${op}`);
  return text;
}

function accessHelper(name, { kind, width, params, result }, text) {
  const offset = / offset=(\d+)/.exec(text)?.[1] ?? 0;
  const operands = params.map((_, i) => `local.get ${i}`).join(' ');
  const type = `(param ${params.join(' ')})` + (result ? ` (result ${result})` : '');
  return `  (func ${name} ${type} ${operands} ${text}
    local.get 0 i32.const ${offset} i32.const ${width} call $report_${kind})`;
}

function bulkHelper(name, op, text) {
  const report = op === 'memory.copy' ? 'copy' : 'fill';
  const told = report === 'copy' ? 'local.get 0 local.get 1 local.get 2' : 'local.get 0 local.get 2';
  return `  (func ${name} (param i32 i32 i32) local.get 0 local.get 1 local.get 2 ${text}
    ${told} call $report_${report})`;
}

function globalWrite(helpers) {
  const name = helpers.name('global.set 0', (helper) =>
    `  (func ${helper} (param i32) local.get 0 global.set 0 local.get 0 call $report_global)`);
  return `call ${name}`;
}
