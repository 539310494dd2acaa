// The converted values against two other readers of literals. Every core script
// that wabt's wast2json can read is converted by both, and all actions, arguments
// and expected results must be the same after the difference in dialect is
// removed (Debian's wabt 1.0.32 reads 186 of the 258 scripts). Then every number
// literal in a command of any core script is assembled by wasm-tools as the
// operand of a const instruction, and the encoded operand compared.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { assemble } from '../assembler.mjs';
import { convertScript, findScripts } from '../convert.mjs';
import { readScript } from '../lexer.mjs';
import { float, integer } from '../literals.mjs';
import { suiteFolder } from './suite-folder.mjs';

const SCRIPTS_AT_LEAST = 186;
const RETURNS_AT_LEAST = 50204;

// wabt 1.0.32 truncates 0x1.fffffffffffffp-1023, a tie between the largest
// subnormal and the smallest normal number that rounds to the even one above.
// The last test shows that the assembler agrees with us.
const WABT_TRUNCATES = new Set(
  [164, 165, 265, 266, 281, 282].map((line) => `simd/simd_lane.wast:${line}`));

function convertWithWabt(script, folder) {
  const output = join(folder, basename(script, '.wast') + '.json');
  const run = spawnSync('wast2json', ['--enable-all', script, '-o', output], { stdio: 'ignore' });
  if (run.error) throw run.error;
  return run.status === 0 ? JSON.parse(readFileSync(output, 'utf8')).commands : null;
}

// Both dialects' values in one form: integers unsigned, `either` as a value.
function value({ type, lane_type: laneType, value: text, values }) {
  if (type === 'either') return { either: values.map(value) };
  if (type === 'v128') return { type, laneType, lanes: text.map((lane) => number(laneType, lane)) };
  if (/^[if](32|64)$/.test(type)) return { type, value: number(type, text) };
  return { type, value: text };
}

function number(type, text) {
  return type[0] === 'i' ? BigInt.asUintN(Number(type.slice(1)), BigInt(text)).toString() : text;
}

function actionOf({ action }) {
  if (!action) return undefined;
  const { type, module, field, args } = action;
  return { type, module: module?.replace(/^\$/, ''), field, args: args?.map(value) };
}

function expectedOf({ type, expected, either }) {
  if (type !== 'assert_return') return undefined; // wabt adds types to other commands
  return either ? [{ either: either.map(value) }] : expected.map(value);
}

const comparable = (command) => ({
  type: command.type,
  text: command.text,
  as: command.as,
  name: command.name?.replace(/^\$/, ''),
  action: actionOf(command),
  expected: expectedOf(command),
});

test('wast2json gives the same commands and values', async (t) => {
  execFileSync('wast2json', ['--version'], { stdio: 'ignore' });
  const core = join(suiteFolder(), 'core');
  const folder = mkdtempSync(join(tmpdir(), 'wasmeter-crosscheck-'));
  let [scripts, returns] = [0, 0];
  const differing = [];
  try {
    for (const name of findScripts(core)) {
      const theirs = convertWithWabt(join(core, name), folder);
      if (!theirs) continue;
      const { commands: ours } = await convertScript(readFileSync(join(core, name)), name);
      assert.equal(ours.length, theirs.length, name);
      ours.forEach((command, i) => {
        const [mine, other] = [comparable(command), comparable(theirs[i])];
        if (isDeepStrictEqual(mine, other)) return;
        const place = `${name}:${command.line}`;
        if (!WABT_TRUNCATES.has(place)) assert.deepEqual(mine, other, place);
        differing.push(place);
      });
      scripts++;
      returns += ours.filter(({ type }) => type === 'assert_return').length;
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  t.diagnostic(`${scripts} scripts, ${returns} assert_return commands compared`);
  assert.deepEqual(differing, [...WABT_TRUNCATES]);
  assert.ok(scripts >= SCRIPTS_AT_LEAST, `only ${scripts} scripts were compared`);
  assert.ok(returns >= RETURNS_AT_LEAST, `only ${returns} results were compared`);
});

// The number literals of a script's commands, modules left out: Map from
// "type text" to [type, text].
function collectLiterals(node, found) {
  if (node.kind !== 'list') return;
  const [head, ...rest] = node.items;
  if (head?.text === 'module') return;
  const scalar = /^([if](?:32|64))\.const$/.exec(head?.text)?.[1];
  const literals = scalar ? rest : head?.text === 'v128.const' ? rest.slice(1) : [];
  const type = scalar ?? rest[0]?.text?.split('x')[0];
  for (const { text } of literals) {
    if (/^[if](32|64)$/.test(type) && !text.startsWith('nan:c') && !text.startsWith('nan:a')) {
      found.set(`${type} ${text}`, [type, text]);
    }
  }
  for (const item of rest) collectLiterals(item, found);
}

// Integers are read back from a global's LEB128 operand, floats from four or
// eight bytes; either way the operand is what lies between opcode and `end`.
function operandOf(type, value) {
  const bits = Number(type.slice(1));
  const out = [];
  let rest = BigInt(value);
  if (type[0] === 'f') {
    for (let i = 0; i < bits / 8; i++) out.push(Number((rest >> BigInt(8 * i)) & 0xffn));
    return out;
  }
  for (;;) {
    const byte = Number(rest & 0x7fn);
    rest >>= 7n;
    if (rest === (byte & 0x40 ? -1n : 0n)) return [...out, byte];
    out.push(byte | 0x80);
  }
}

const OPCODE = { i32: 0x41, i64: 0x42, f32: 0x43, f64: 0x44 };
const DROP = 0x1a;

test('the assembler encodes every literal of the scripts the same way', async (t) => {
  const core = join(suiteFolder(), 'core');
  const found = new Map();
  for (const name of findScripts(core)) {
    for (const node of readScript(readFileSync(join(core, name)))) collectLiterals(node, found);
  }
  const literals = [...found.values()];
  const body = literals.map(([type, text]) => `${type}.const ${text} drop`).join('\n');
  const code = await assemble(`(module (func ${body}))`);
  const wanted = Buffer.from(literals.flatMap(([type, text]) => {
    const bits = Number(type.slice(1));
    const value = type[0] === 'i' ? integer(text, bits) : float(text, bits);
    return [OPCODE[type], ...operandOf(type, value), DROP];
  }));
  const start = code.length - 1 - wanted.length;
  assert.equal(code[code.length - 1], 0x0b);
  assert.ok(code.subarray(start, start + wanted.length).equals(wanted), 'operands differ');
  t.diagnostic(`${literals.length} distinct literals compared`);
  assert.ok(literals.length > 5000);
});
