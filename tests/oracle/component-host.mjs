// Runs a QIP component under V8 the way its contract says, all three generations:
// `render -> i64` (V3), `render -> i32` with an optional `commit` (V2), `run` (V1).
// Checks what a host must check, and tells rejection, trap, contract violation
// and bad input apart. Callers that rewrote the module pass the rewritten binary
// and its imports; the facts are always read from the original bytes.

import { pathToFileURL } from 'node:url';
import { exportedFunction, globalInitial, readModule, staticGetter } from './module.mjs';
import { applyOrder, uniformValue } from './uniforms.mjs';

// The statuses are those of wasmeter's exit.
export class RunError extends Error {
  constructor(kind, message) {
    super(message);
    this.kind = kind;
    this.status = { rejected: 1, trap: 4, budget: 5, contract: 6, input: 65 }[kind];
  }
}

const contractError = (message) => new RunError('contract', message);

// Where the 36 characters are in multipart/form-data;boundary=uuid-…
const BOUNDARY_SLOT = 34;

const REJECTED = 1n << 63n;
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function isUtf8(bytes) {
  try {
    UTF8.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

export class Component {
  // options.binary and options.imports: a rewritten form of `bytes`.
  constructor(bytes, { binary = bytes, imports = {} } = {}) {
    if (!WebAssembly.validate(bytes)) throw new RunError('input', 'not a valid module');
    this.facts = readModule(bytes);
    if (this.facts.imports) throw contractError('the component has imports');
    this.version = contractVersion(this.facts);
    if (this.facts.start !== undefined) throw contractError('the component has a start function');
    this.compiled = new WebAssembly.Module(binary);
    this.imports = imports;
    this.hidden = (run) => run();
    this.restart();
    this.contract = readContract(this);
  }

  restart() {
    this.exports = guarded(() => new WebAssembly.Instance(this.compiled, this.imports).exports);
    return this;
  }

  get memory() {
    return new Uint8Array(this.exports.memory.buffer);
  }

  call(name, ...args) {
    return guarded(() => this.exports[name](...args));
  }

  // A getter of a generation whose getters run: a call that is neither counted
  // nor tapped (`hidden` is the caller's to set).
  quietly(name) {
    return this.hidden(() => this.call(name));
  }

  // One run. Returns { bytes, pointer, encoding, inputSize }; a rejection is thrown.
  render(input = new Uint8Array(0), uniforms = {}) {
    const bytes = typeof input === 'string' ? Buffer.from(input) : input;
    this.writeInput(bytes);
    for (const key of applyOrder(uniforms)) {
      const setter = exportedFunction(this.facts, `uniform_set_${key}`);
      this.call(`uniform_set_${key}`, uniformValue(setter, key, uniforms[key]));
    }
    const finish = { 1: finishV1, 2: finishV2, 3: finishV3 }[this.version];
    const result = finish(this, this.call(this.version === 1 ? 'run' : 'render', bytes.length), bytes.length);
    return { ...result, inputSize: bytes.length };
  }

  writeInput(bytes) {
    const { input } = this.contract;
    if (!input) {
      if (bytes.length > 0) throw new RunError('input', 'this component takes no input');
      return;
    }
    if (bytes.length > input.capacity) {
      const sizes = `${bytes.length} bytes > ${input.capacity} bytes`;
      throw new RunError('input', `input is too large (${sizes} input capacity)`);
    }
    if (input.encoding === 'utf8' && !isUtf8(bytes)) throw new RunError('input', 'expected UTF-8 input');
    this.memory.set(bytes, input.pointer);
  }

  // Writes another UUID into the boundary of a multipart component's content type.
  setBoundary(uuid) {
    const at = getter(this, 'input_content_type_ptr') + BOUNDARY_SLOT;
    this.memory.set(Buffer.from(uuid, 'latin1'), at);
  }

  // Checks the range a component returned and copies it out.
  output(pointer, size) {
    const { encoding, capacity } = this.contract.output;
    if (size > capacity) throw contractError(`output of ${size} bytes exceeds the capacity of ${capacity}`);
    if (pointer + size > this.memory.length) throw contractError('output lies outside memory');
    const bytes = Buffer.from(this.memory.slice(pointer, pointer + size));
    if (encoding === 'utf8' && !isUtf8(bytes)) throw contractError('output is not UTF-8');
    return { bytes, pointer, encoding };
  }
}

function guarded(run) {
  try {
    return run();
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) {
      throw new RunError('trap', error.message);
    }
    throw error;
  }
}

function rejection(inputSize, offset, modes, mode) {
  if (modes === 0) return new RunError('rejected', 'rejected input');
  if (offset > inputSize) return contractError('rejection offset lies beyond the input');
  const text = `rejected input at input offset ${offset}` + (modes > 1 ? ` with mode ${mode}` : '');
  return Object.assign(new RunError('rejected', text), { offset, mode });
}

function finishV3(component, result, inputSize) {
  const word = BigInt.asUintN(64, result);
  const [high, low] = [Number((word & ~REJECTED) >> 32n), Number(word & 0xffffffffn)];
  if (!(word & REJECTED)) return component.output(high, low);
  const modes = component.contract.failureModes;
  if (modes === undefined) throw contractError('a rejection without failure_modes_per_input_offset');
  if (high !== 0) throw contractError('reserved bits are set in a rejection');
  if (modes === 0 && low !== 0) throw contractError('a rejection has a detail but no modes');
  throw rejection(inputSize, modes && Math.floor(low / modes), modes, modes && low % modes);
}

function finishV2(component, result, inputSize) {
  const size = result >>> 0;
  if (component.exports.commit) {
    const word = BigInt.asUintN(64, component.quietly('commit'));
    const atInput = (word >> 62n) & 1n;
    if (word & REJECTED) throw rejection(inputSize, Number(word & 0xffffffffn), atInput ? 1 : 0, 0);
  }
  return component.output(component.quietly('output_ptr') >>> 0, size);
}

// A result of zero is an empty output; output_ptr is asked all the same.
function finishV1(component, result) {
  const { output } = component.contract;
  if (!output) return { bytes: Buffer.alloc(0), pointer: 0, encoding: undefined };
  const pointer = valueV1(component, 'output_ptr');
  if (result === 0) return { bytes: Buffer.alloc(0), pointer, encoding: output.encoding };
  return component.output(pointer, (result >>> 0) * output.itemBytes);
}

function contractVersion(facts) {
  if (facts.exports.has('tile_rgba32float_64x64')) throw contractError('a Tile component');
  const [render, run] = [exportedFunction(facts, 'render'), exportedFunction(facts, 'run')];
  const signature = (f) => f && `${f.params}->${f.results}`;
  const versions = [
    signature(run) === 'i32->i32' && 1,
    signature(render) === 'i32->i32' && 2,
    signature(render) === 'i32->i64' && 3,
  ].filter(Boolean);
  if (versions.length === 1) return versions[0];
  throw contractError(versions.length ? 'fits several contracts' : 'exports neither render nor run of a contract');
}

// V1: an immutable or mutable i32 global or a function, the global first.
function valueV1(component, name) {
  const entry = component.facts.exports.get(name);
  if (entry?.kind === 'global') return component.exports[name].value >>> 0;
  return entry?.kind === 'func' ? component.quietly(name) >>> 0 : undefined;
}

function getter(component, name) {
  const { facts, version } = component;
  if (version === 1) return valueV1(component, name);
  const entry = facts.exports.get(name);
  if (!entry) return undefined;
  if (entry.kind !== 'func') throw contractError(`${name} is not a function`);
  if (version === 2) return component.quietly(name) >>> 0;
  const value = staticGetter(facts, name);
  if (value === undefined) throw contractError(`${name} is not a static getter`);
  return value;
}

function readContract(component) {
  const { facts, version } = component;
  if (facts.exports.get('memory')?.kind !== 'memory') throw contractError('no exported memory');
  if (facts.memories.length !== 1) throw contractError('not exactly one memory');
  const contract = { input: readInput(component), output: readOutput(component) };
  if (version === 3) {
    contract.failureModes = getter(component, 'failure_modes_per_input_offset');
    for (const side of ['input', 'output']) readContentType(component, side);
    if (!contract.input && facts.exports.has('input_content_type_ptr')) {
      throw contractError('a generator declares an input content type');
    }
  }
  return contract;
}

function capacities(component, side, kinds) {
  return kinds
    .map((encoding) => ({ encoding, capacity: getter(component, `${side}_${encoding}_cap`) }))
    .filter(({ capacity }) => capacity !== undefined);
}

function readInput(component) {
  const { facts, version } = component;
  const pointer = getter(component, 'input_ptr');
  const caps = capacities(component, 'input', ['utf8', 'bytes']);
  if (pointer === undefined && caps.length === 0 && version === 3) return null;
  if (pointer === undefined || caps.length !== 1) throw contractError('an incomplete input side');
  const input = { pointer, ...caps[0] };
  const end = pointer + input.capacity;
  if (end > facts.memories[0].min * 65536) throw contractError('the input buffer lies outside memory');
  const overlaps = ({ active, start, length }) => active && start < end && pointer < start + length && length > 0;
  if (version === 3 && facts.data.some(overlaps)) throw contractError('a data segment overlaps the input buffer');
  return input;
}

function readOutput(component) {
  const { version } = component;
  const kinds = version === 1 ? ['utf8', 'bytes', 'i32'] : ['utf8', 'bytes'];
  const caps = capacities(component, 'output', kinds);
  if (version === 1 && caps.length === 0) return null;
  if (caps.length !== 1) throw contractError('not exactly one output capacity');
  const [{ encoding, capacity }] = caps;
  const itemBytes = encoding === 'i32' ? 4 : 1;
  return { encoding, capacity: capacity * itemBytes, itemBytes };
}

function readContentType(component, side) {
  const pair = ['ptr', 'size'].map((part) => getter(component, `${side}_content_type_${part}`));
  if ((pair[0] === undefined) !== (pair[1] === undefined)) throw contractError(`half a content type: ${side}`);
  if (pair[1] === 0) throw contractError(`an empty content type: ${side}`);
}

// The initial value of global 0 where it can be a stack pointer, else undefined.
export const stackPointer = (facts) =>
  facts.globals[0]?.mutable ? globalInitial(facts, 0) : undefined;

export const isMain = (meta) => process.argv[1] && meta.url === pathToFileURL(process.argv[1]).href;
