// A binary module to the flat text that wabt's wasm2wat prints, taken apart into
// fields and functions, and back to binary. The text loses one thing: an `else`
// with nothing after it is not printed, although it is an instruction that runs.
// So every function is compared with wabt's disassembly, opcode by opcode; such an
// `else` is put back and anything else that differs is an error.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

function withFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), 'wasmeter-oracle-'));
  try {
    return use((name) => join(folder, name));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const tool = (name, args) =>
  execFileSync(name, args, { maxBuffer: 1 << 30, stdio: ['ignore', 'pipe', 'pipe'] }).toString('latin1');

// The text is held as latin1, one character a byte, and goes back the same way.
export function toText(bytes) {
  return withFolder((path) => {
    writeFileSync(path('in.wasm'), bytes);
    const text = tool('wasm2wat', ['--enable-all', '--no-debug-names', path('in.wasm')]);
    return takeApart(text.trimEnd().split('\n'), opcodes(tool('wasm-objdump', ['-d', path('in.wasm')])));
  });
}

export function toBinary(text) {
  return withFolder((path) => {
    writeFileSync(path('out.wat'), text, 'latin1');
    tool('wat2wasm', ['--enable-all', path('out.wat'), '-o', path('out.wasm')]);
    return readFileSync(path('out.wasm'));
  });
}

// For each function the opcode names of the disassembly, its `end` included.
function opcodes(listing) {
  const functions = [];
  for (const line of listing.split('\n')) {
    if (/^[0-9a-f]+ func\[/.test(line)) functions.push([]);
    const match = /^ [0-9a-f]+: [0-9a-f ]+\| +(\S+)/.exec(line);
    if (match && !match[1].startsWith('local[')) functions.at(-1).push(match[1]);
  }
  return functions;
}

// An array of module fields in order: a string for a field that is not a
// function, { head, locals, instructions } for one that is. An instruction is
// { op, text }, without comments; the function's own `end` is not among them.
function takeApart(lines, opcodesOf) {
  const fields = [];
  const closeModule = (line) => line.replace(/\)$/, '');
  if (lines[0] !== '(module' && lines[0] !== '(module)') throw new Error(`what is ${lines[0]}?`);
  let defined = 0;
  for (let at = 1; at < lines.length; ) {
    if (!lines[at].startsWith('  (func ')) {
      fields.push(at === lines.length - 1 ? closeModule(lines[at]) : lines[at]);
      at++;
      continue;
    }
    const { body, next } = functionLines(lines, at);
    fields.push(readFunction(body, opcodesOf[defined], defined));
    defined++;
    at = next;
  }
  if (defined !== opcodesOf.length) throw new Error('text and disassembly differ in their functions');
  return fields;
}

// Parentheses outside comments: closing minus opening.
function surplus(line) {
  return line.split(')').length - line.split('(').length;
}

const withoutComments = (line) => line.replace(/\(;.*?;\)/g, '').replace(/;;.*$/, '');

// The lines of one function without the parenthesis that closes it.
function functionLines(lines, at) {
  const body = [];
  let depth = 0;
  for (let i = at; i < lines.length; i++) {
    const line = withoutComments(lines[i]).trimEnd();
    depth -= surplus(line);
    if (depth > 0) {
      body.push(line);
      continue;
    }
    // The module's own parenthesis may close on the last line too.
    body.push(line.slice(0, line.length - (1 - depth)));
    return { body, next: i + 1 };
  }
  throw new Error('a function is not closed');
}

function readFunction([head, ...rest], opcodesHere, index) {
  const lines = rest.map((line) => line.trim().replace(/ +/g, ' ')).filter((line) => line !== '');
  const locals = lines[0]?.startsWith('(local ') ? lines.shift() : '';
  const instructions = restore(
    lines.map((text) => ({ op: text.split(' ')[0], text })), opcodesHere, index);
  return { head: head.replace(/^ {2}\(func */, ''), locals, instructions };
}

function restore(instructions, wanted, index) {
  const restored = [];
  let at = 0;
  for (const op of wanted.slice(0, -1)) {
    if (op === instructions[at]?.op) restored.push(instructions[at++]);
    else if (op === 'else' && instructions[at]?.op === 'end') restored.push({ op, text: op });
    else throw new Error(`function ${index}: ${op} in the binary, ${instructions[at]?.op} in the text`);
  }
  if (at !== instructions.length || wanted.at(-1) !== 'end') throw new Error(`function ${index}: the text is longer`);
  return restored;
}
