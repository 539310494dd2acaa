// The disassembler, through an outside assembler and back: every valid module of
// the official suite is printed by wasm-tools, the instructions of each function
// are replaced by our disassembler's, and the assembled result must equal what
// wasm-tools makes of its own text, byte for byte. Together the modules hold every
// instruction of the opcode table.
//
// Environment: DISASSEMBLE, the program; SUITE, the converted suite's core folder;
// CC and WASMETER_SOURCE as in opcodes.test.mjs.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { assemble, print } from '../../spec-tests/assembler.mjs';
import { readTable, withoutCustomSections } from './table.mjs';

const MODULES_AT_LEAST = 2100;
// Value types are kept in canonical form, so the disassembler names the first of
// equivalent types: this module's text differs in such a type index alone.
const EQUIVALENT_TYPES = new Set(['type-equivalence.8.wasm']);

const MODULE_TYPES = new Set(['module', 'module_definition']);

function jsonFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return jsonFiles(path);
    return path.endsWith('.json') ? [path] : [];
  });
}

function validModules(suite) {
  return jsonFiles(suite).sort().flatMap((json) =>
    JSON.parse(readFileSync(json, 'utf8')).commands
      .filter(({ type }) => MODULE_TYPES.has(type))
      .map((command) => join(json, '..', command.binary_filename ?? command.filename)));
}

// Map from path to the functions' instruction lines, in order.
function disassemble(paths) {
  const text = execFileSync(process.env.DISASSEMBLE, paths, { encoding: 'utf8', maxBuffer: 1 << 30 });
  const modules = new Map();
  let functions;
  for (const line of text.trimEnd().split('\n')) {
    if (line.startsWith('module ')) modules.set(line.slice('module '.length), (functions = []));
    else if (line.startsWith('func ')) functions.push([]);
    else functions.at(-1).push(line);
  }
  return modules;
}

// The printed module with other instructions in its functions: `  (func` to `  )`.
function replaceBodies(printed, functions) {
  const out = [];
  let next = 0;
  const lines = printed.split('\n');
  for (let i = 0; i < lines.length; i++) {
    out.push(lines[i]);
    if (!lines[i].startsWith('  (func ')) continue;
    const body = functions[next++].slice(0, -1); // without the function's own end
    const oneLine = lines[i].endsWith(')') && !lines[i + 1]?.startsWith('    ') && lines[i + 1] !== '  )';
    if (oneLine) {
      out.push(out.pop().slice(0, -1), ...body, ')');
      continue;
    }
    while (lines[i + 1].startsWith('    (local ')) out.push(lines[++i]);
    while (lines[i + 1] !== '  )') i++;
    out.push(...body);
  }
  assert.equal(next, functions.length, 'functions of the printed module');
  return out.join('\n');
}

test('every module of the suite survives the round trip', async (t) => {
  const paths = validModules(process.env.SUITE);
  assert.ok(paths.length >= MODULES_AT_LEAST, `only ${paths.length} modules`);
  const disassembled = disassemble(paths);
  const seen = new Set();
  let instructions = 0;
  for (const path of paths) {
    const printed = await print(withoutCustomSections(readFileSync(path)));
    const functions = disassembled.get(path);
    const text = replaceBodies(printed, functions);
    const [wanted, got] = [await assemble(printed), await assemble(text)];
    const name = relative(process.env.SUITE, path);
    assert.equal(got.equals(wanted), !EQUIVALENT_TYPES.has(name), `${name}:\n${functions.flat().join('\n').slice(0, 4000)}`);
    assert.equal(got.length, wanted.length, name);
    for (const line of functions.flat()) seen.add(line.split(' ')[0]);
    instructions += functions.flat().length;
  }
  t.diagnostic(`${paths.length} modules, ${instructions} instructions`);
  const table = readTable((process.env.CC || 'cc').split(' '), process.env.WASMETER_SOURCE);
  const missing = table.map(({ text }) => text).filter((text) => !seen.has(text));
  assert.deepEqual(missing, [], 'instructions that no module of the suite has');
});
