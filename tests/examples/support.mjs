// What the checks of the example components share: loading a component under V8, calling it the way its
// contract says, and reading the sections of the file that V8 does not show (limits, bodies, data ranges).
// The reader here is a test's: it accepts what clang, wasm-ld and wabt write, and throws on anything else.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

// Every check is started as `node FILE EXAMPLES_BUILD_DIR [SOURCE_ROOT]`.
export const buildDir = process.argv[2];
export const sourceRoot = process.argv[3];
assert.ok(buildDir, "the first argument must be the build folder that holds the .wasm files");

export const readComponent = (name) => readFileSync(join(buildDir, `${name}.wasm`));

// The project's own pages: what is written in Markdown at the root, in docs/ and in examples/.
export function ownPages() {
  const folders = [".", "docs", "examples"].map((name) => join(sourceRoot, name)).filter(existsSync);
  const pages = folders.flatMap((folder) => readdirSync(folder).filter((name) => name.endsWith(".md")).map((name) => join(folder, name)));
  assert.ok(pages.length > 0, "no pages found: the second argument must be the source root");
  return pages.sort();
}

// A package of tests/package.json; a missing one is a failure that says what to do.
export function requirePackage(name) {
  try {
    return createRequire(import.meta.url)(name);
  } catch (error) {
    throw new Error(`${name} is missing: run \`npm ci\` in tests/ first (${error.message})`);
  }
}

export async function importPackage(name) {
  try {
    return await import(name);
  } catch (error) {
    throw new Error(`${name} is missing: run \`npm ci\` in tests/ first (${error.message})`);
  }
}

// Instances are made afresh, as a host does, but a component is compiled once.
export class Component {
  constructor(name, imports = {}) {
    this.name = name;
    this.bytes = readComponent(name);
    this.module = new WebAssembly.Module(this.bytes);
    this.imports = imports;
    this.start();
  }

  start() {
    this.exports = new WebAssembly.Instance(this.module, this.imports).exports;
    return this;
  }

  get memory() {
    return new Uint8Array(this.exports.memory.buffer);
  }

  get inputCap() {
    const e = this.exports;
    return (e.input_utf8_cap ?? e.input_bytes_cap)();
  }

  putInput(input) {
    const bytes = typeof input === "string" ? Buffer.from(input) : input;
    if (bytes.length) {
      assert.ok(bytes.length <= this.inputCap, "a test's input must fit");
      this.memory.set(bytes, this.exports.input_ptr());
    }
    return bytes.length;
  }

  // One V3 render: { output } or { rejected: detail }, and the contract's own checks on the result word.
  render(input = "", uniforms = {}) {
    const size = this.putInput(input);
    for (const key of Object.keys(uniforms).sort()) this.exports[`uniform_set_${key}`](uniforms[key]);
    const word = BigInt.asUintN(64, this.exports.render(size));
    const low = Number(word & 0xffffffffn);
    const high = Number((word >> 32n) & 0x7fffffffn);
    if (word >> 63n) {
      assert.equal(high, 0, `${this.name}: reserved bits of a rejection`);
      const modes = this.exports.failure_modes_per_input_offset();
      if (modes === 0) assert.equal(low, 0, `${this.name}: detail without modes`);
      else assert.ok(Math.floor(low / modes) <= size, `${this.name}: offset beyond the input`);
      return { rejected: low, offset: modes ? Math.floor(low / modes) : 0, mode: modes ? low % modes : 0 };
    }
    const cap = (this.exports.output_utf8_cap ?? this.exports.output_bytes_cap)();
    assert.ok(low >>> 0 <= cap >>> 0, `${this.name}: output size ${low} over the capacity ${cap}`);
    assert.ok(high + low <= this.memory.length, `${this.name}: output outside memory`);
    const output = Buffer.from(this.memory.slice(high, high + low));
    if (this.exports.output_utf8_cap) new TextDecoder("utf-8", { fatal: true }).decode(output);
    return { output, text: output.toString("utf8"), pointer: high, size: low };
  }
}

// Little-endian base 128, as the binary format has it.
class Reader {
  constructor(bytes, at = 0, end = bytes.length) {
    Object.assign(this, { bytes, at, end });
  }
  byte() {
    assert.ok(this.at < this.end, "read past the end");
    return this.bytes[this.at++];
  }
  unsigned() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  }
  signed32() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return shift < 25 && byte & 0x40 ? value | (-1 << (shift + 7)) : value;
    }
  }
  name() {
    const length = this.unsigned();
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at).toString("utf8");
  }
  limits() {
    const flags = this.byte();
    const min = this.unsigned();
    return { flags, min, max: flags & 1 ? this.unsigned() : undefined };
  }
}

// What the checks need of a module: memory, globals, exports, function bodies, active data ranges.
export function readModule(bytes) {
  const found = { memories: [], globals: [], exports: [], bodies: [], data: [], start: false, imports: 0, functions: [], types: [] };
  const file = new Reader(bytes, 8);
  while (file.at < file.end) {
    const id = file.byte();
    const size = file.unsigned();
    const r = new Reader(bytes, file.at, file.at + size);
    file.at += size;
    if (id === 0) continue;
    if (id === 8) {
      found.start = true;
      continue;
    }
    const count = r.unsigned();
    for (let i = 0; i < count; i++) readEntry(id, r, found);
  }
  return found;
}

function readEntry(id, r, found) {
  switch (id) {
    case 1: {
      assert.equal(r.byte(), 0x60);
      const list = () => Array.from({ length: r.unsigned() }, () => r.byte());
      found.types.push({ params: list(), results: list() });
      break;
    }
    case 2:
      found.imports++;
      r.name();
      r.name();
      assert.equal(r.byte(), 0, "only functions are imported here");
      r.unsigned();
      break;
    case 3:
      found.functions.push(r.unsigned());
      break;
    case 5:
      found.memories.push(r.limits());
      break;
    case 6: {
      const type = r.byte();
      const mutable = r.byte() === 1;
      assert.equal(type, 0x7f, "only i32 globals are read here");
      assert.equal(r.byte(), 0x41);
      found.globals.push({ mutable, value: r.signed32() });
      assert.equal(r.byte(), 0x0b);
      break;
    }
    case 7:
      found.exports.push({ name: r.name(), kind: r.byte(), index: r.unsigned() });
      break;
    case 10: {
      const size = r.unsigned();
      found.bodies.push(r.bytes.subarray(r.at, r.at + size));
      r.at += size;
      break;
    }
    case 11: {
      assert.equal(r.byte(), 0, "only active segments are read here");
      assert.equal(r.byte(), 0x41);
      const offset = r.signed32();
      assert.equal(r.byte(), 0x0b);
      const length = r.unsigned();
      r.at += length;
      found.data.push({ start: offset, end: offset + length });
      break;
    }
  }
}

// The value of a getter whose body is one i32.const or one global.get of an immutable global; undefined otherwise.
export function staticGetter(found, name) {
  const entry = found.exports.find((e) => e.name === name && e.kind === 0);
  if (!entry) return undefined;
  const defined = entry.index - found.imports;
  const type = found.types[found.functions[defined]];
  if (type.params.length || type.results.length !== 1 || type.results[0] !== 0x7f) return undefined;
  const body = new Reader(found.bodies[defined]);
  if (body.unsigned() !== 0) return undefined;
  const opcode = body.byte();
  let value;
  if (opcode === 0x41) value = body.signed32();
  else if (opcode === 0x23) {
    const global = found.globals[body.unsigned()];
    if (global.mutable) return undefined;
    value = global.value;
  } else return undefined;
  return body.byte() === 0x0b && body.at === body.end ? value : undefined;
}
