// The page report component against the native command: for every example, its
// inputs and uniforms, and several budgets, the same bytes, three ways:
//
//   V8       the component in Node.js, one instance for all requests
//   native   wasmeter pages TARGET
//   nested   wasmeter run -F component=@TARGET ... COMPONENT (smaller runs), and wasmeter pages of that, whose bytes are
//            those of wasmeter counts
//
//   node compare-native.mjs WASMETER COMPONENTS_DIR EXAMPLES_DIR [SOURCE_ROOT]

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { multipart } from '../oracle/multipart.mjs';
import { runsOf } from '../oracle/runs.mjs';

const [wasmeter, components, examples, sourceRoot = '.'] = process.argv.slice(2);
if (!examples) {
  console.error('usage: compare-native.mjs WASMETER COMPONENTS_DIR EXAMPLES_DIR [SOURCE_ROOT]');
  process.exit(64);
}

const componentFile = join(components, 'qip-interpret-memory-page-writes-csv.wasm');
const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(componentFile)));
const folder = mkdtempSync(join(tmpdir(), 'wasmeter-component-'));
const inputFile = join(folder, 'input');
const failures = [];
const totals = { equal: 0, refused: 0, nested: 0, profiled: 0 };

const BUDGETS = [undefined, 10_000_000, 1000, 1]; // undefined: the component's default, a million
const DEFAULT_BUDGET = 1_000_000;
const PROFILED = ['crc32.wasm', 'uniforms.wasm', 'v1-count.wasm', 'v2-upper.wasm'];
const NESTED_INSTRUCTIONS = 300_000; // larger runs are not repeated inside the interpreter inside the interpreter

function inV8(request, budget) {
  new Uint8Array(exports.memory.buffer).set(request, exports.input_ptr());
  if (budget !== undefined) exports.uniform_set_instruction_budget(budget);
  const word = exports.render(request.length);
  if (word < 0n) return null;
  const [address, length] = [Number(word >> 32n), Number(word & 0xffffffffn)];
  return Buffer.from(exports.memory.buffer.slice(address, address + length));
}

function command(args, statuses) {
  const { status, stdout, stderr } = spawnSync(wasmeter, args, { maxBuffer: 1 << 28 });
  if (!statuses.includes(status)) throw new Error(`wasmeter ${args.join(' ')}: status ${status}: ${stderr}`);
  return status === 0 ? stdout : null;
}

const uniformOptions = ({ uniforms = {} }) => Object.entries(uniforms).flatMap(([key, value]) => ['-u', `${key}=${value}`]);
const REFUSALS = [1, 4, 5, 6, 65];

function native(target, run, budget) {
  return command(['pages', target, ...(run.input ? ['-i', inputFile] : []), ...uniformOptions(run), '--budget', String(budget)], [0, ...REFUSALS]);
}

const instructionsOf = (target, run) => {
  const counts = command(['counts', target, ...(run.input ? ['-i', inputFile] : []), ...uniformOptions(run)], [0, ...REFUSALS]);
  return counts ? Number(/^instructions,(\d+)$/m.exec(counts)[1]) : 0;
};

const formOptions = (target, run) => [
  '-F', `component=@${target}`, ...(run.input ? ['-F', `input=@${inputFile}`] : []),
  ...Object.entries(run.uniforms ?? {}).flatMap(([key, value]) => ['-F', `uniforms[${key}]=${value}`]),
];

function expectEqual(got, wanted, name) {
  if (got === null ? wanted === null : wanted !== null && got.equals(wanted)) return true;
  const told = (bytes) => (bytes === null ? 'refused' : `${bytes.length} bytes`);
  failures.push(`${name}: ${told(got)}, the native report: ${told(wanted)}`);
  return false;
}

// How many more pages than one each access touches, over the whole trace.
function crossings(args) {
  const extra = (address, width) => Math.floor((address + width - 1) / 65536) - Math.floor(address / 65536);
  let sum = 0;
  for (const line of command(['trace', ...args, '--format', 'json', '--kind', 'memory'], [0]).toString().trim().split('\n')) {
    const event = JSON.parse(line);
    if (!event.event.startsWith('before_')) continue;
    sum += extra(event.address, event.width) + (event.event === 'before_copy' ? extra(event.source, event.width) : 0);
  }
  return sum;
}

// The component itself under the page report: bytes are those of counts, and reads and writes exceed the counters by
// the crossings, exactly.
function checkProfile(target, run, name) {
  const args = [...formOptions(target, run), componentFile, '--budget', '100000000000'];
  const rows = command(['pages', ...args], [0]).toString().trim().split('\n').slice(1).map((row) => row.split(','));
  const counts = Object.fromEntries(command(['counts', ...args], [0]).toString().trim().split('\n').map((row) => row.split(',')));
  const sum = (column) => rows.reduce((total, row) => total + Number(row[column]), 0);
  const excess = sum(3) + sum(5) - Number(counts.memory_reads) - Number(counts.memory_writes);
  const wanted = crossings(args);
  if (sum(4) !== Number(counts.bytes_read)) failures.push(`${name}: bytes_read are ${sum(4)} by page, ${counts.bytes_read} counted`);
  if (sum(6) !== Number(counts.bytes_written)) failures.push(`${name}: bytes_written are ${sum(6)} by page, ${counts.bytes_written} counted`);
  if (excess !== wanted) failures.push(`${name}: ${excess} reads and writes more than counted, ${wanted} page crossings`);
  totals.profiled++;
}

try {
  const files = readdirSync(examples).filter((name) => name.endsWith('.wasm') && !name.endsWith('-named.wasm')).sort();
  for (const file of files) {
    const target = join(examples, file);
    runsOf(file, sourceRoot).forEach((run, i) => {
      const parts = [
        { name: 'component', body: readFileSync(target), filename: file }, ...(run.input ? [{ name: 'input', body: run.input }] : []),
        ...Object.entries(run.uniforms ?? {}).map(([key, value]) => ({ name: `uniforms[${key}]`, body: value }))];
      if (run.input) writeFileSync(inputFile, run.input);
      const request = multipart(parts);
      for (const budget of BUDGETS) {
        const name = `${file} run ${i} budget ${budget ?? 'default'}`;
        const wanted = native(target, run, budget ?? DEFAULT_BUDGET);
        if (expectEqual(inV8(request, budget), wanted, name)) totals[wanted ? 'equal' : 'refused']++;
      }
      if (instructionsOf(target, run) > NESTED_INSTRUCTIONS) return;
      const nested = command(['run', ...formOptions(target, run), componentFile, '--budget', '100000000000'], [0, 1]);
      if (expectEqual(nested, native(target, run, DEFAULT_BUDGET), `${file} run ${i} nested`)) totals.nested++;
      if (PROFILED.includes(file) && nested) checkProfile(target, run, `${file} run ${i} profiled`);
    });
  }
} finally {
  rmSync(folder, { recursive: true });
}

for (const failure of failures) console.error(failure);
console.log(`${totals.equal} equal reports, ${totals.refused} refused alike, ${totals.nested} nested runs, ${totals.profiled} profiled: ${failures.length} differ`);
process.exitCode = failures.length > 0 || totals.equal < 100 || totals.nested < 30 || totals.profiled < 8 ? 1 : 0;
