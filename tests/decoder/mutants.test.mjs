// Verdicts against another validator: example components with bytes of their code changed, judged by the decoder and by V8.
//
// The changes come from a generator with a fixed seed. Where the two differ, V8's reason must name something of WebAssembly
// 3.0 that this V8 does not know. And the decoder that walks bodies step by step must say the same, offset and message included.
// Environment: SUITE_TOOL, the program of suite_tool.c; SUITE_TOOL_STEPS, the same with walk_all.c; COMPONENTS, files with `:`
// between.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const PER_COMPONENT = 150;
const LARGEST = 8192;
const TOKENS = [0x00, 0x01, 0x02, 0x04, 0x05, 0x0b, 0x0c, 0x0d, 0x0f, 0x1a, 0x1b, 0x20, 0x21, 0x40, 0x41, 0x6a, 0x7c, 0x7f, 0x80, 0xfc, 0xfd];
const UNKNOWN_TO_V8 = /enable with --experimental|Invalid opcode 0x(8|a|1f|14|15)\b|invalid numeric opcode: 0xfd1|[Ii]nvalid opcode 0xfd1|actual alignment is (6[4-9]|[7-9]\d|1[01]\d|12[0-7])|gc opcode|At most one memory|memory count|limits flags|exnref/;

// xorshift32
let state = 0x2545f491;
function random(below) {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % below;
}

function codeSection(bytes) {
  for (let at = 8; at < bytes.length; ) {
    const id = bytes[at++];
    let size = 0;
    let shift = 0;
    do {
      size += (bytes[at] & 0x7f) * 2 ** shift;
      shift += 7;
    } while (bytes[at++] >= 0x80);
    if (id === 10) return [at, at + size];
    at += size;
  }
  return null;
}

function mutant(original, [start, end]) {
  const bytes = Buffer.from(original);
  for (let changes = 1 + (random(4) === 0 ? 1 : 0); changes > 0; changes--) {
    const at = start + random(end - start);
    const kind = random(3);
    if (kind === 0) bytes[at] = random(256);
    else if (kind === 1) bytes[at] = TOKENS[random(TOKENS.length)];
    else bytes[at] = (bytes[at] + [1, 255, 2, 16][random(4)]) & 255;
  }
  return bytes;
}

function reasonOfV8(bytes) {
  try {
    new WebAssembly.Module(bytes);
    return null;
  } catch (error) {
    return String(error.message);
  }
}

test('the decoder and V8 agree on changed components', () => {
  const folder = mkdtempSync(join(tmpdir(), 'wasmeter-mutants-'));
  try {
    const paths = [];
    for (const component of process.env.COMPONENTS.split(':')) {
      const original = readFileSync(component);
      const range = codeSection(original);
      if (original.length > LARGEST || range === null) continue;
      assert.equal(reasonOfV8(original), null, component);
      for (let i = 0; i < PER_COMPONENT; i++) {
        paths.push(join(folder, `${paths.length}.wasm`));
        writeFileSync(paths.at(-1), i === 0 ? original : mutant(original, range));
      }
    }
    assert.ok(paths.length >= 5 * PER_COMPONENT);
    const judge = (tool) => spawnSync(tool, ['verdicts'], { input: paths.join('\n') + '\n', encoding: 'utf8', maxBuffer: 1 << 26 });
    const { status, stdout } = judge(process.env.SUITE_TOOL);
    assert.equal(status, 0);
    assert.equal(judge(process.env.SUITE_TOOL_STEPS).stdout, stdout);
    const verdicts = stdout.split('\n').slice(0, -1);
    assert.equal(verdicts.length, paths.length);
    const counts = { ok: 0, malformed: 0, invalid: 0, beyond: 0 };
    verdicts.forEach((line, i) => {
      const [verdict, offset, message] = line.split('\t');
      const reason = reasonOfV8(readFileSync(paths[i]));
      counts[verdict]++;
      if ((verdict === 'ok') === (reason === null)) return;
      assert.ok(verdict === 'ok' && UNKNOWN_TO_V8.test(reason), `mutant ${i}: ${verdict} ${message} at ${offset}, V8: ${reason}`);
      counts.beyond++;
    });
    console.log(counts);
    assert.ok(counts.ok > 100 && counts.malformed > 100 && counts.invalid > 100 && counts.beyond < paths.length / 20);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
