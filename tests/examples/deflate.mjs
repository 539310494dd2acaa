// The DEFLATE component: zlib, Python's gzip and the gzip command give back every input, over sizes, kinds of content and the
// three forms of block; text shrinks to less than half, and nothing grows by more than its small overhead.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import { Component, ownPages, readComponent } from "./support.mjs";

const deflate = new Component("deflate");
const compress = (bytes) => deflate.render(bytes).output;

let state = 12345;
const random = () => {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return state >>> 0;
};
const noise = (size, values = 256) => Buffer.from(Array.from({ length: size }, () => random() % values));
const words = (size) => {
  const list = "the a of memory page reads writes counts component output input trap budget stack frame is are and to in".split(" ");
  let text = "";
  while (text.length < size) text += list[random() % list.length] + (random() % 9 ? " " : ".\n");
  return Buffer.from(text.slice(0, size));
};
// Symbols with Fibonacci frequencies make the deepest Huffman tree there is, deeper than a code may be long.
const fibonacci = () => {
  const parts = [];
  for (let value = 0, a = 1, b = 1; value < 24; value++, [a, b] = [b, a + b]) parts.push(...Array(a).fill(value));
  for (let i = parts.length - 1; i > 0; i--) {
    const other = random() % (i + 1);
    [parts[i], parts[other]] = [parts[other], parts[i]];
  }
  return Buffer.from(parts);
};

const cap = deflate.inputCap;
const inputs = {
  empty: Buffer.alloc(0), "one byte": Buffer.from("a"), "two bytes": Buffer.from("aa"), "three bytes": Buffer.from("aaa"),
  "longest match": Buffer.alloc(259, 97), "one over": Buffer.alloc(260, 97), zeros: Buffer.alloc(100000), "zeros to the limit": Buffer.alloc(cap),
  "noise to the limit": noise(cap), "words to the limit": words(cap), "one below": words(cap - 1),
  "every byte": Buffer.from(Array.from({ length: 256 }, (_, i) => i)), "two values": noise(70000, 2), "seven values": noise(70000, 7),
  "exactly a window": noise(32768), "deep tree": fibonacci(),
  wasm: readComponent("markdown"), source: readFileSync(new URL(import.meta.url)),
};
const far = noise(300);
for (const gap of [32767, 32768, 32769, 40000]) inputs[`repeat from ${gap} back`] = Buffer.concat([far, noise(gap - 300), far]);
for (let size = 4; size < 700; size += 23) inputs[`${size} words`] = words(size);
for (const size of [65535, 65536, 32767, 131072]) inputs[`${size} of noise`] = noise(size);

for (const [name, bytes] of Object.entries(inputs)) {
  const packed = compress(bytes);
  assert.ok(gunzipSync(packed).equals(bytes), name);
  assert.ok(packed.length <= bytes.length + 5 * Math.ceil(bytes.length / 32768 + 1) + 18, `${name}: ${bytes.length} became ${packed.length}`);
}
assert.throws(() => deflate.exports.render(cap + 1), WebAssembly.RuntimeError);
deflate.start();
assert.ok(compress(inputs["two values"]).equals(new Component("deflate").render(inputs["two values"]).output), "an instance keeps nothing");

function checkReaders(bytes) {
  const packed = compress(bytes);
  const readers = [["gzip", ["-dc"]], ["python3", ["-c", "import gzip,sys; sys.stdout.buffer.write(gzip.decompress(sys.stdin.buffer.read()))"]]];
  for (const [command, args] of readers) {
    const run = spawnSync(command, args, { input: packed, maxBuffer: 1 << 26 });
    assert.equal(run.status, 0, `${command}: ${run.error ?? run.stderr}`);
    assert.ok(run.stdout.equals(bytes), command);
  }
}
for (const name of ["empty", "zeros to the limit", "noise to the limit", "words to the limit", "wasm"]) checkReaders(inputs[name]);

// Text of some length (a README's) shrinks to less than half, and the result is close to what zlib makes at its default level.
const texts = [new URL("./markdown.mjs", import.meta.url), new URL("./markdown_cases.mjs", import.meta.url), ...ownPages()];
for (const path of texts) {
  const text = readFileSync(path);
  const packed = compress(text).length;
  const zlib = gzipSync(text).length;
  if (text.length >= 4096) assert.ok(packed * 2 <= text.length, `${text.length} became ${packed}`);
  assert.ok(packed <= zlib * 1.03, `${packed} against zlib's ${zlib}`);
  console.log(`deflate: ${text.length} bytes to ${packed}; zlib ${zlib}`);
}
