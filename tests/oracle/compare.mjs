// wasmeter against the oracle, on every example component and a table of inputs
// and uniforms: `pages`, `counts` and `run` must print the oracle's bytes, the
// request form of `pages` the same bytes again, and what the oracle refuses must
// end with its status and nothing on stdout.
//
//   node compare.mjs WASMETER EXAMPLES_DIR [SOURCE_ROOT]

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { RunError } from './component-host.mjs';
import { csvOf, measure } from './measure.mjs';
import { LISTED, runsOf } from './runs.mjs';

const [wasmeter, examples, sourceRoot = '.'] = process.argv.slice(2);
if (!examples) {
  console.error('usage: compare.mjs WASMETER EXAMPLES_DIR [SOURCE_ROOT]');
  process.exit(64);
}

// Enough for every run that ends; the others end there.
const BUDGET = 20_000_000;

const folder = mkdtempSync(join(tmpdir(), 'wasmeter-compare-'));
const failures = [];
const totals = { commands: 0, finished: 0, refused: 0 };

function oracle(bytes, run) {
  try {
    const { output, pages, counts } = measure(bytes, { ...run, budget: BigInt(BUDGET) });
    return { status: 0, run: output.bytes, pages: Buffer.from(pages), counts: Buffer.from(csvOf(counts)) };
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    const nothing = Buffer.alloc(0);
    return { status: error.status, run: nothing, pages: nothing, counts: nothing, reason: error.message };
  }
}

function commandLines(component, { input, uniforms = {} }) {
  const inputFile = join(folder, 'input');
  if (input) writeFileSync(inputFile, input);
  const pairs = Object.entries(uniforms);
  const options = [...(input ? ['-i', inputFile] : []), ...pairs.flatMap(([key, value]) => ['-u', `${key}=${value}`])];
  const request = [
    '-F', `component=@${component}`, ...(input ? ['-F', `input=@${inputFile}`] : []),
    ...pairs.flatMap(([key, value]) => ['-F', `uniforms[${key}]=${value}`]),
  ];
  return [
    ['run', ['run', '--budget', BUDGET, component, ...options]],
    ['pages', ['pages', '--budget', BUDGET, component, ...options]],
    ['counts', ['counts', '--budget', BUDGET, component, ...options]],
    ['pages', ['pages', '-u', `instruction_budget=${BUDGET}`, ...request]],
  ];
}

function firstDifference(got, wanted) {
  const [a, b] = [got.toString('latin1').split('\n'), wanted.toString('latin1').split('\n')];
  const row = a.findIndex((line, i) => line !== b[i]);
  const at = row < 0 ? a.length : row;
  return `line ${at + 1}: got ${JSON.stringify(a[at] ?? 'nothing')}, the oracle has ${JSON.stringify(b[at] ?? 'nothing')}`;
}

function check(args, wanted, name) {
  const result = spawnSync(wasmeter, args, { maxBuffer: 1 << 28 });
  if (result.error) throw result.error;
  totals.commands++;
  const complain = (what) => failures.push(`${name}: wasmeter ${args.join(' ')}: ${what}`);
  if (result.status !== wanted.status) {
    const line = result.stderr.toString().trim();
    const reason = wanted.reason ? ` (${wanted.reason})` : '';
    complain(`status ${result.status ?? result.signal}, the oracle has ${wanted.status}${reason}; ${line}`);
  } else if (!result.stdout.equals(wanted.stdout)) {
    complain(firstDifference(result.stdout, wanted.stdout));
  } else if (wanted.status !== 0 && result.stderr.toString().trimEnd().split('\n').length !== 1) {
    complain(`not one line on stderr: ${result.stderr}`);
  }
}

function compareComponent(file) {
  const path = join(examples, file);
  const bytes = readFileSync(path);
  runsOf(file, sourceRoot).forEach((run, i) => {
    const expected = oracle(bytes, run);
    totals[expected.status === 0 ? 'finished' : 'refused']++;
    for (const [command, args] of commandLines(path, run)) {
      check(args, { status: expected.status, stdout: expected[command], reason: expected.reason }, `${file} run ${i}`);
    }
  });
}

const files = readdirSync(examples).filter((name) => name.endsWith('.wasm')).sort();
try {
  for (const file of files) compareComponent(file);
} finally {
  rmSync(folder, { recursive: true });
}

const missing = LISTED.filter((name) => !files.includes(`${name}.wasm`));
for (const name of missing) failures.push(`${name}.wasm is listed in ${basename('runs.mjs')} and was not built`);
for (const failure of failures) console.error(failure);
console.log(
  `${files.length} components, ${totals.finished} finished runs, ${totals.refused} refused, ` +
    `${totals.commands} commands compared, ${failures.length} differ`);
process.exitCode = failures.length || totals.finished < 50 ? 1 : 0;
