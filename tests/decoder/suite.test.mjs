// The decoder on every module of the official suite: what it accepts, what it calls malformed and what invalid, and its
// disassembly against wasm-tools' printer, instruction by instruction.
//
// Environment: SUITE_TOOL, the program of suite_tool.c; SUITE_DIR, the converted scripts.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { print } from '../../spec-tests/assembler.mjs';

const root = join(process.env.SUITE_DIR, 'core');

function run(mode, paths) {
  const { status, stdout, stderr } = spawnSync(process.env.SUITE_TOOL, [mode], { input: paths.join('\n') + '\n', encoding: 'utf8', maxBuffer: 1 << 28 });
  assert.equal(status, 0, stderr);
  return stdout.split('\n').slice(0, -1);
}

function scripts(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? scripts(join(folder, entry.name)) : entry.name.endsWith('.json') ? [join(folder, entry.name)] : []);
}

// Every module that is a binary: its path, the verdict it must get, the text the suite gives.
const modules = scripts(root).sort().flatMap((script) =>
  JSON.parse(readFileSync(script, 'utf8')).commands.flatMap((command) => {
    const name = command.filename?.endsWith('.wasm') ? command.filename : command.binary_filename;
    if (name === undefined) return [];
    const verdict = { assert_malformed: 'malformed', assert_invalid: 'invalid' }[command.type] ?? 'ok';
    return [{ path: join(dirname(script), name), at: `${script}:${command.line}`, verdict, text: command.text }];
  }));

test('malformed, invalid and valid modules are told apart', () => {
  const verdicts = run('verdicts', modules.map(({ path }) => path));
  assert.equal(verdicts.length, modules.length);
  const counts = { ok: 0, malformed: 0, invalid: 0 };
  modules.forEach(({ at, verdict, text }, i) => {
    const [got, offset, message] = verdicts[i].split('\t');
    assert.equal(got, verdict, `${at}: ${message} at ${offset}, wanted: ${text}`);
    counts[got]++;
  });
  console.log(counts);
  assert.ok(counts.ok > 2000 && counts.malformed > 700 && counts.invalid > 2700);
});

// Custom sections left out: without names the printer writes indices as numbers.
function stripped(bytes) {
  const parts = [bytes.subarray(0, 8)];
  for (let at = 8; at < bytes.length; ) {
    const start = at;
    let size = 0;
    let shift = 0;
    at++;
    do {
      size += (bytes[at] & 0x7f) * 2 ** shift;
      shift += 7;
    } while (bytes[at++] >= 0x80);
    at += size;
    if (bytes[start] !== 0) parts.push(bytes.subarray(start, at));
  }
  return Buffer.concat(parts);
}

// The printer's text as bodies of instruction lines. Its comments and the written-out types behind (type N) go.
function printedBodies(text) {
  const bodies = [];
  let body = null;
  for (const line of text.split('\n')) {
    if (line.startsWith('  (func ')) bodies.push((body = []));
    else if (line.startsWith('  (')) body = null;
    else if (line === '  )') body?.push('end');
    else if (body !== null && line.startsWith('    ')) {
      const plain = line.trim().replace(/ *;; label = @\d+/, '').replace(/ ?\(;.*?;\)/g, '')
        .replace(/(\(type \d+\)) \((param|result).*?(?= \(catch|$)/, '$1')
        .replace(/(?<=[0-9a-f])\.p(?=[+-])/g, 'p').trim();
      if (plain !== '' && !plain.startsWith('(local')) body.push(plain);
    }
  }
  return bodies.map((lines) => (lines.length === 0 ? ['end'] : lines));
}

// A block's reference type may be named by any of the indices of equal types: ours is the first.
const sameLine = (ours, theirs) => ours === theirs ||
  (/^(block|loop|if|try_table|select) .*\(ref /.test(ours) && ours.replace(/\d+/g, 'N') === theirs.replace(/\d+/g, 'N'));

test('the disassembly is what another printer writes, for every mnemonic', async () => {
  const valid = modules.filter(({ verdict }) => verdict === 'ok');
  const lines = run('text', valid.map(({ path }) => path));
  const mnemonics = new Set();
  let at = 0;
  for (const { path, at: place } of valid) {
    assert.equal(lines[at++], 'module');
    const theirs = printedBodies(await print(stripped(readFileSync(path))));
    for (const body of theirs) {
      assert.equal(lines[at++], 'body', place);
      for (const line of body) {
        assert.ok(sameLine(lines[at], line), `${place}: ${lines[at]} for ${line}`);
        mnemonics.add(lines[at++].split(' ')[0]);
      }
    }
  }
  assert.equal(at, lines.length);
  assert.equal(mnemonics.size, 496, 'the suite does not use every mnemonic');
});
