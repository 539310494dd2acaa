// Every shipped example against the component contract and the strict profile, read from the built file: exports,
// static getters of exactly one instruction, fixed memory, placement of the input, no imports, no start function,
// no memory.grow, no indirect calls, no recursion.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { buildDir, readComponent, readModule, staticGetter } from "./support.mjs";

// name: contract and, where an example is meant to step outside the strict profile, why.
const components = {
  blend: { contract: "V3" },
  crc32: { contract: "V3" },
  deflate: { contract: "V3" },
  fail: { contract: "V3", indirect: "two of its failures are indirect calls" },
  gauge: { contract: "V3", generator: true },
  "gauge-fixed": { contract: "V3", generator: true },
  "gauge-timed": { contract: "V3", generator: true, imports: 1 }, // the clock of a build that is for measurement only
  markdown: { contract: "V3" },
  primes: { contract: "V3", generator: true },
  "sample-page-report": { contract: "V3" },
  uniforms: { contract: "V3", generator: true },
  "v1-codepoints": { contract: "V1" },
  "v1-count": { contract: "V1" },
  "v2-upper": { contract: "V2" },
  "validate-json": { contract: "V3" },
};

const inputCaps = ["input_utf8_cap", "input_bytes_cap"];
const outputCaps = ["output_utf8_cap", "output_bytes_cap"];

function checkShape(name, found, imports = 0) {
  assert.equal(found.imports, imports, `${name}: imports`);
  assert.equal(found.start, false, `${name}: start function`);
  assert.equal(found.memories.length, 1);
  const { min, max } = found.memories[0];
  assert.equal(max, min, `${name}: memory must have a declared maximum equal to its size`);
  const memory = found.exports.filter((e) => e.name === "memory");
  assert.deepEqual(memory, [{ name: "memory", kind: 2, index: 0 }]);
  assert.equal(new Set(found.exports.map((e) => e.name)).size, found.exports.length);
}

function getter(name, found, key) {
  const value = staticGetter(found, key);
  assert.notEqual(value, undefined, `${name}: ${key} must be one constant`);
  return value;
}

function exactlyOne(name, found, keys) {
  const present = keys.filter((key) => found.exports.some((e) => e.name === key));
  assert.equal(present.length, 1, `${name}: exactly one of ${keys.join(", ")}`);
  return getter(name, found, present[0]);
}

function checkContentType(name, found, side, bytes) {
  const has = (suffix) => found.exports.some((e) => e.name === `${side}_content_type_${suffix}`);
  assert.equal(has("ptr"), has("size"), `${name}: both content type getters or neither`);
  if (!has("ptr")) return;
  const start = getter(name, found, `${side}_content_type_ptr`);
  const size = getter(name, found, `${side}_content_type_size`);
  const memory = new Uint8Array(new WebAssembly.Instance(new WebAssembly.Module(bytes), { qip_bench: { now_ms: () => 0 } }).exports.memory.buffer);
  const type = Buffer.from(memory.slice(start, start + size)).toString("latin1");
  assert.match(type, /^[a-z]+\/[a-z0-9.+-]+(;[A-Za-z]+=[A-Za-z0-9-]+)*$/, `${name}: ${side} content type`);
}

function checkGetters(name, found, bytes, { generator, contract }) {
  if (!generator) {
    const start = getter(name, found, "input_ptr");
    const end = start + exactlyOne(name, found, inputCaps);
    assert.ok(end <= found.memories[0].min * 65536, `${name}: input outside memory`);
    for (const segment of found.data)
      assert.ok(segment.end <= start || segment.start >= end, `${name}: a data segment overlaps the input`);
  } else {
    assert.ok(!found.exports.some((e) => e.name.startsWith("input_")), `${name}: a generator has no input exports`);
  }
  exactlyOne(name, found, outputCaps);
  if (contract === "V2") getter(name, found, "output_ptr");
  if (found.exports.some((e) => e.name === "failure_modes_per_input_offset"))
    getter(name, found, "failure_modes_per_input_offset");
  checkContentType(name, found, "input", bytes);
  checkContentType(name, found, "output", bytes);
}

function checkEntry(name, found, contract) {
  const entry = found.exports.find((e) => e.name === (contract === "V1" ? "run" : "render") && e.kind === 0);
  assert.ok(entry, `${name}: entry`);
  const type = found.types[found.functions[entry.index - found.imports]];
  assert.deepEqual(type, { params: [0x7f], results: [contract === "V3" ? 0x7e : 0x7f] }, `${name}: entry type`);
}

// The call graph from wabt's disassembly; a cycle is recursion.
function checkCode(name, allowIndirect) {
  const run = spawnSync("wasm-objdump", ["-d", join(buildDir, `${name}.wasm`)], { encoding: "utf8", maxBuffer: 1 << 28 });
  assert.equal(run.status, 0, `wasm-objdump failed: ${run.error ?? run.stderr}`);
  assert.doesNotMatch(run.stdout, /\| memory\.grow/, `${name}: memory.grow`);
  if (!allowIndirect) assert.doesNotMatch(run.stdout, /\| (return_)?call_indirect/, `${name}: indirect call`);
  const calls = new Map();
  let current;
  for (const line of run.stdout.split("\n")) {
    const head = /^[0-9a-f]+ func\[(\d+)\]/.exec(line);
    if (head) calls.set((current = Number(head[1])), new Set());
    const call = /\| (?:return_)?call (\d+)/.exec(line);
    if (call) calls.get(current).add(Number(call[1]));
  }
  assert.ok(calls.size > 0, `${name}: no function was disassembled`);
  // Removing functions that call nothing left must, without recursion, remove them all.
  for (let removed = true; removed; ) {
    removed = false;
    for (const [index, callees] of calls) {
      if ([...callees].some((callee) => calls.has(callee))) continue;
      calls.delete(index);
      removed = true;
    }
  }
  assert.equal(calls.size, 0, `${name}: recursion among functions ${[...calls.keys()]}`);
}

for (const [name, expected] of Object.entries(components)) {
  const bytes = readComponent(name);
  const found = readModule(bytes);
  checkShape(name, found, expected.imports);
  checkEntry(name, found, expected.contract);
  if (expected.contract !== "V1") checkGetters(name, found, bytes, expected);
  checkCode(name, expected.indirect);
  console.log(`${name}: ${expected.contract}, ${bytes.length} bytes`);
}
