// What the oracle needs to know of a binary module and V8 does not tell: types of
// exported functions, memory limits, globals with their initial values, static
// getters, active data ranges. A small reader of its own, so that nothing here
// shares code with the decoder under test. It reads valid modules only: callers
// let V8 validate the bytes first.

const FUNC_TYPE = 0x60;
const VALUE_TYPES = { 0x7f: 'i32', 0x7e: 'i64', 0x7d: 'f32', 0x7c: 'f64', 0x7b: 'v128', 0x70: 'funcref', 0x6f: 'externref' };
const KINDS = ['func', 'table', 'memory', 'global', 'tag'];
const DATA_COUNT = 12;

class Bytes {
  constructor(bytes, at, end) {
    Object.assign(this, { bytes, at, end });
  }

  byte() {
    if (this.at >= this.end) throw new Error(`read past the end at ${this.at}`);
    return this.bytes[this.at++];
  }

  take(length) {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  leb() {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return { value, bits: Number(shift) + 7 };
    }
  }

  unsigned() {
    return Number(this.leb().value);
  }

  signed() {
    const { value, bits } = this.leb();
    return BigInt.asIntN(bits, value);
  }

  name() {
    return Buffer.from(this.take(this.unsigned())).toString('utf8');
  }

  list(read) {
    return Array.from({ length: this.unsigned() }, () => read());
  }

  valueType() {
    const byte = this.byte();
    if (!VALUE_TYPES[byte]) throw new Error(`value type 0x${byte.toString(16)} is not read here`);
    return VALUE_TYPES[byte];
  }

  limits() {
    const flags = this.byte();
    if (flags > 1) throw new Error(`limits flags ${flags} are not read here`);
    const min = this.unsigned();
    return { min, max: flags === 1 ? this.unsigned() : undefined };
  }

  // { op, value }: the one instruction of a constant expression, or of a getter.
  constant() {
    const op = this.byte();
    let value;
    if (op === 0x41) value = Number(BigInt.asUintN(32, this.signed()));
    else if (op === 0x42) value = BigInt.asUintN(64, this.signed());
    else if (op === 0x23 || op === 0xd2) value = this.unsigned();
    else if (op === 0x43) value = this.take(4);
    else if (op === 0x44) value = this.take(8);
    else if (op === 0xd0) value = this.byte();
    else if (op === 0xfd && this.unsigned() === 12) value = this.take(16);
    else return null;
    return this.byte() === 0x0b ? { op, value } : null;
  }
}

const READERS = {
  1: (r, m) => m.types.push(...r.list(() => {
    if (r.byte() !== FUNC_TYPE) throw new Error('only function types are read here');
    return { params: r.list(() => r.valueType()), results: r.list(() => r.valueType()) };
  })),
  2: (r, m) => {
    m.imports = r.unsigned();
  },
  3: (r, m) => m.functions.push(...r.list(() => m.types[r.unsigned()])),
  4: () => {},
  5: (r, m) => m.memories.push(...r.list(() => r.limits())),
  6: (r, m) => m.globals.push(...r.list(() => {
    const type = r.valueType();
    return { type, mutable: r.byte() === 1, init: r.constant() };
  })),
  7: (r, m) => r.list(() => {
    m.exports.set(r.name(), { kind: KINDS[r.byte()], index: r.unsigned() });
  }),
  8: (r, m) => {
    m.start = r.unsigned();
  },
  9: () => {},
  10: (r, m) => m.bodies.push(...r.list(() => r.take(r.unsigned()))),
  11: (r, m) => m.data.push(...r.list(() => dataSegment(r))),
  [DATA_COUNT]: () => {},
};

function dataSegment(r) {
  const mode = r.unsigned();
  if (mode === 1) return { active: false, length: r.take(r.unsigned()).length };
  if (mode === 2 && r.unsigned() !== 0) throw new Error('only memory 0 is read here');
  return { active: true, offset: r.constant(), length: r.take(r.unsigned()).length };
}

// A module without imports, the only kind that a component can be. `imports`
// counts them; with any, the index spaces here are not right and not used.
export function readModule(bytes) {
  const module = {
    types: [], imports: 0, functions: [], memories: [], globals: [], exports: new Map(), bodies: [], data: [],
    start: undefined,
  };
  const file = new Bytes(bytes, 8, bytes.length);
  while (file.at < file.end) {
    const id = file.byte();
    const section = new Bytes(file.take(file.unsigned()), 0, 0);
    section.end = section.bytes.length;
    if (id === 0) continue;
    if (!READERS[id]) throw new Error(`section ${id} is not read here`);
    READERS[id](section, module);
    if (module.imports) break;
  }
  module.data = module.data.map((segment) => ({ ...segment, start: segmentStart(module, segment) }));
  return module;
}

function segmentStart(module, { active, offset }) {
  if (!active) return undefined;
  const value = offset && constantValue(module, offset);
  if (value === undefined) throw new Error('a data offset is not a constant');
  return value;
}

// The i32 that a constant instruction gives, through immutable globals.
function constantValue(module, { op, value }) {
  if (op === 0x41) return value;
  if (op !== 0x23) return undefined;
  const global = module.globals[value];
  return global.mutable || global.type !== 'i32' || !global.init ? undefined : constantValue(module, global.init);
}

export function exportedFunction(module, name) {
  const entry = module.exports.get(name);
  if (entry?.kind !== 'func') return undefined;
  return { index: entry.index, ...module.functions[entry.index] };
}

// The value of a static getter: undefined when the body is anything else.
export function staticGetter(module, name) {
  const getter = exportedFunction(module, name);
  if (!getter || getter.params.length !== 0 || String(getter.results) !== 'i32') return undefined;
  const body = new Bytes(module.bodies[getter.index], 0, module.bodies[getter.index].length);
  if (body.unsigned() !== 0) return undefined;
  const instruction = body.constant();
  return instruction && body.at === body.end ? constantValue(module, instruction) : undefined;
}

// The value of an immutable i32 global, or the initial one of a mutable.
export function globalInitial(module, index) {
  const global = module.globals[index];
  return global?.type === 'i32' && global.init ? constantValue(module, global.init) : undefined;
}
