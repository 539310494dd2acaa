// Nothing is lost in conversion: the commands of every converted script, by
// kind, equal the figures that the suite's MANIFEST.tsv gives for the script,
// and the totals over core/ equal the ones written down here for the pinned
// suite. The manifest counted the scripts with another tool.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { convertSuite } from '../convert.mjs';
import { suiteFolder } from './suite-folder.mjs';

const CORE_TOTALS = {
  files: 258,
  module: 2259,
  assert_return: 52718,
  assert_trap: 4984,
  assert_invalid: 2723,
  assert_malformed: 1940,
  assert_exhaustion: 15,
  assert_unlinkable: 200,
  assert_exception: 18,
  register: 80,
  invoke: 357,
  assert_malformed_custom: 0,
  assert_invalid_custom: 0,
  malformed_quote: 1229,
  malformed_binary: 711,
};
const ASSERTIONS = 62598;
const UNINSTANTIABLE = 54;

// A module that must trap when instantiated counts as a trap assertion there.
const MANIFEST_NAME = {
  module_definition: 'module',
  module_instance: 'module',
  assert_uninstantiable: 'assert_trap',
  action: 'invoke',
};

let output;
let converted;

before(async () => {
  output = mkdtempSync(join(tmpdir(), 'wasmeter-counts-'));
  converted = await convertSuite(suiteFolder(), join(output, 'json'), {
    optional: ['custom', 'legacy', 'proposals'],
  });
});

after(() => rmSync(output, { recursive: true }));

function commandsOf(name) {
  const path = join(output, 'json', name.replace(/\.wast$/, '.json'));
  return JSON.parse(readFileSync(path, 'utf8')).commands;
}

function countCommands(commands) {
  const counts = Object.fromEntries(Object.keys(CORE_TOTALS).map((kind) => [kind, 0]));
  counts.files = 1;
  for (const command of commands) {
    const kind = MANIFEST_NAME[command.type] ?? command.type;
    assert.ok(Object.hasOwn(counts, kind), `unknown command type ${command.type}`);
    counts[kind]++;
    if (kind === 'assert_malformed') {
      counts[command.module_type === 'text' ? 'malformed_quote' : 'malformed_binary']++;
    }
  }
  return counts;
}

// STEM.N.wasm or STEM.N.wat
function numbered(file, stem) {
  return file.startsWith(stem + '.') && /^[0-9]+\.wa(sm|t)$/.test(file.slice(stem.length + 1));
}

const failed = () => new Set(converted.failures.map(({ name }) => name));
const scriptsIn = (folder) =>
  converted.scripts.filter((name) => name.startsWith(folder + '/') && !failed().has(name));

test('every core script is converted', () => {
  assert.deepEqual(converted.failures.filter(({ required }) => required), []);
  assert.equal(scriptsIn('core').length, CORE_TOTALS.files);
});

test('core totals', () => {
  const totals = Object.fromEntries(Object.keys(CORE_TOTALS).map((kind) => [kind, 0]));
  let uninstantiable = 0;
  for (const name of scriptsIn('core')) {
    const commands = commandsOf(name);
    uninstantiable += commands.filter(({ type }) => type === 'assert_uninstantiable').length;
    for (const [kind, count] of Object.entries(countCommands(commands))) totals[kind] += count;
  }
  assert.deepEqual(totals, CORE_TOTALS);
  assert.equal(uninstantiable, UNINSTANTIABLE);
  const assertions = Object.entries(totals)
    .filter(([kind]) => kind.startsWith('assert_'))
    .reduce((sum, [, count]) => sum + count, 0);
  assert.equal(assertions, ASSERTIONS);
});

test('counts of each script, against the manifest', (t) => {
  const path = join(suiteFolder(), 'MANIFEST.tsv');
  if (!existsSync(path)) {
    t.diagnostic(`no manifest beside these scripts, only totals were compared: ${path}`);
    return;
  }
  const [header, ...rows] = readFileSync(path, 'utf8').trimEnd().split('\n').map((l) => l.split('\t'));
  const listed = new Map(rows.map((row) => [row[0], row]));
  for (const name of converted.scripts.filter((script) => !failed().has(script))) {
    const row = listed.get(name);
    assert.ok(row, `${name} is not in the manifest`);
    const wanted = Object.fromEntries(header.slice(2).map((kind, i) => [kind, Number(row[i + 2])]));
    const { files, ...counts } = countCommands(commandsOf(name));
    assert.deepEqual(counts, wanted, name);
  }
  assert.deepEqual([...listed.keys()].sort(), [...converted.scripts].sort());
});

test('every file that a command names was written, and no other', () => {
  for (const name of scriptsIn('core')) {
    const folder = join(output, 'json', name, '..');
    const stem = basename(name, '.wast');
    const named = commandsOf(name).flatMap((c) => [c.filename, c.binary_filename]).filter(Boolean);
    const written = readdirSync(folder).filter((file) => numbered(file, stem));
    assert.deepEqual(written.sort(), named.sort(), name);
    for (const { type, filename, binary_filename: binary } of commandsOf(name)) {
      if (type !== 'module') continue;
      const bytes = readFileSync(join(folder, binary ?? filename));
      assert.equal(bytes.toString('hex', 0, 8), '0061736d01000000', filename);
    }
  }
});

test('a second conversion gives the same bytes', async () => {
  const again = join(output, 'again');
  await convertSuite(join(suiteFolder(), 'core', 'gc'), again);
  for (const name of scriptsIn('core/gc')) {
    const file = name.replace(/\.wast$/, '.json');
    const first = readFileSync(join(output, 'json', file));
    assert.deepEqual(readFileSync(join(again, file.slice('core/gc/'.length))), first, file);
  }
});
