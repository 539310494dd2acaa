// wasmeter's commands against the oracle, one run of one component at a time:
// `run`, `pages` and `counts` must print the oracle's bytes, the request form of
// `pages` the same bytes again; what the oracle refuses must end with its status,
// one line on stderr and nothing on stdout. A run that needs N instructions must
// finish on a budget of N and be exhausted on N - 1 and on half of it.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RunError } from './component-host.mjs';
import { csvOf, measure } from './measure.mjs';

// Enough for every run that ends; the others end there.
const BUDGET = 20_000_000;
const NOTHING = Buffer.alloc(0);

export class Comparison {
  // extra: options for every run of wasmeter, such as the choice of a stream.
  constructor(wasmeter, extra = []) {
    this.wasmeter = wasmeter;
    this.extra = extra;
    this.folder = mkdtempSync(join(tmpdir(), 'wasmeter-compare-'));
    this.failures = [];
    this.totals = { commands: 0, finished: 0, refused: 0 };
  }

  close() {
    rmSync(this.folder, { recursive: true });
  }

  // component: a path. run: { input, uniforms }.
  compare(component, run, name) {
    const expected = oracle(readFileSync(component), run);
    const { options, request } = this.options(component, run);
    const check = (args, stdout, wanted = expected) => this.check([...args, ...this.extra], { ...wanted, stdout }, name);
    const within = (command, budget) => [command, '--budget', String(budget), component, ...options];
    check(within('run', BUDGET), expected.run);
    check(within('pages', BUDGET), expected.pages);
    check(within('counts', BUDGET), expected.counts);
    check(['pages', '-u', `instruction_budget=${BUDGET}`, ...request], expected.pages);
    this.totals[expected.status === 0 ? 'finished' : 'refused']++;
    if (expected.status !== 0) return;
    const exhausted = { status: 5, reason: 'fewer instructions than the run has' };
    check(within('run', expected.needed), expected.run);
    check(within('run', expected.needed - 1), NOTHING, exhausted);
    check(within('counts', expected.needed >> 1), NOTHING, exhausted);
  }

  // The run's options, and the same as a request to the tool itself.
  options(component, { input, uniforms = {} }) {
    const inputFile = join(this.folder, 'input');
    if (input) writeFileSync(inputFile, input);
    const pairs = Object.entries(uniforms);
    return {
      options: [...(input ? ['-i', inputFile] : []), ...pairs.flatMap(([key, value]) => ['-u', `${key}=${value}`])],
      request: [
        '-F', `component=@${component}`, ...(input ? ['-F', `input=@${inputFile}`] : []),
        ...pairs.flatMap(([key, value]) => ['-F', `uniforms[${key}]=${value}`]),
      ],
    };
  }

  check(args, wanted, name) {
    const result = spawnSync(this.wasmeter, args, { maxBuffer: 1 << 28 });
    if (result.error) throw result.error;
    this.totals.commands++;
    const complain = (what) => this.failures.push(`${name}: wasmeter ${args.join(' ')}: ${what}`);
    if (result.status !== wanted.status) {
      const line = result.stderr.toString().trim();
      const reason = wanted.reason ? ` (${wanted.reason})` : '';
      complain(`status ${result.status ?? result.signal}, the oracle has ${wanted.status}${reason}; ${line}`);
    } else if (!result.stdout.equals(wanted.stdout)) {
      complain(firstDifference(result.stdout, wanted.stdout));
    } else if (wanted.status !== 0 && !/^[^\n]+\n$/.test(result.stderr.toString())) {
      complain(`not one line on stderr: ${result.stderr}`);
    }
  }

  // Prints what differs and the totals; returns the exit status.
  finish(subject, finishedAtLeast) {
    for (const failure of this.failures) console.error(failure);
    const { commands, finished, refused } = this.totals;
    console.log(
      `${subject}: ${finished} finished runs, ${refused} refused, ${commands} commands compared, ` +
        `${this.failures.length} differ`);
    if (finished < finishedAtLeast) console.error(`only ${finished} runs finished, expected ${finishedAtLeast}`);
    return this.failures.length > 0 || finished < finishedAtLeast ? 1 : 0;
  }
}

function oracle(bytes, run) {
  try {
    const { output, pages, counts, needed } = measure(bytes, { ...run, budget: BigInt(BUDGET) });
    return {
      status: 0,
      needed: Number(needed),
      run: output.bytes,
      pages: Buffer.from(pages),
      counts: Buffer.from(csvOf(counts)),
    };
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    return { status: error.status, run: NOTHING, pages: NOTHING, counts: NOTHING, reason: error.message };
  }
}

function firstDifference(got, wanted) {
  const [a, b] = [got.toString('latin1').split('\n'), wanted.toString('latin1').split('\n')];
  const row = a.findIndex((line, i) => line !== b[i]);
  const at = row < 0 ? a.length : row;
  const shown = (line) => (line === undefined ? 'nothing' : JSON.stringify(line.slice(0, 200)));
  return `line ${at + 1}: got ${shown(a[at])}, the oracle has ${shown(b[at])}`;
}
