// The runner reads wabt's dialect too: every core script that wast2json converts
// is run from its JSON, and everything in it that is not quoted text must pass,
// except what wabt-dialect.ledger lists: the runner counts that as skipped.
//
// Environment: WASM_TESTSUITE, the scripts; WASMETER, the program.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findScripts } from '../convert.mjs';
import { suiteFolder } from './suite-folder.mjs';

const SCRIPTS_AT_LEAST = 186;
const LEDGER = fileURLToPath(new URL('wabt-dialect.ledger', import.meta.url));
const listed = readFileSync(LEDGER, 'utf8').split('\n').filter((line) => /^[^#]/.test(line)).length;

// What the runner has to report for a script: assertions, and quoted texts.
function expectedOf(commands) {
  const assertions = commands.filter(({ type }) => type.startsWith('assert_'));
  const quoted = assertions.filter((c) => c.type === 'assert_malformed' && c.module_type === 'text');
  return { passed: assertions.length - quoted.length, skipped: quoted.length };
}

test('scripts converted by wast2json pass', (t) => {
  const core = join(suiteFolder(), 'core');
  const folder = mkdtempSync(join(tmpdir(), 'wasmeter-wabt-'));
  const total = { scripts: 0, passed: 0, skipped: 0 };
  try {
    for (const name of findScripts(core)) {
      const json = join(folder, name.replace(/\.wast$/, '.json'));
      mkdirSync(dirname(json), { recursive: true });
      const run = spawnSync('wast2json', ['--enable-all', join(core, name), '-o', json], { stdio: 'ignore' });
      if (run.error) throw run.error;
      if (run.status !== 0) {
        rmSync(json, { force: true });
        continue;
      }
      const { passed, skipped } = expectedOf(JSON.parse(readFileSync(json, 'utf8')).commands);
      total.scripts++;
      total.passed += passed;
      total.skipped += skipped;
    }
    const args = ['spec', '--ledger', LEDGER, folder];
    const { status, stdout, stderr } = spawnSync(process.env.WASMETER, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
    const failures = stdout.split('\n').filter((line) => line.includes(': failed: ')).slice(0, 20).join('\n');
    const wanted = `${total.passed - listed} passed, 0 failed, ${total.skipped + listed} skipped`;
    assert.equal(stdout.trimEnd().split('\n').at(-1), wanted, failures + stderr);
    assert.equal(status, 0);
    t.diagnostic(`${total.scripts} scripts, ${total.passed} assertions`);
    assert.ok(total.scripts >= SCRIPTS_AT_LEAST, `only ${total.scripts} scripts were converted`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
