// The small examples, each against an independent computation: CRC-32 and the image blend against plain JavaScript,
// the JSON validator against JSON.parse, the sieve against trial division, the uniforms against typed arrays, the
// V1 and V2 components against their own description, and the failing one against what each letter promises.
import assert from "node:assert/strict";
import { crc32 as nodeCrc32 } from "node:zlib";
import { Component } from "./support.mjs";

// A small generator of repeatable noise.
function noise(seed) {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>>= 0);
  };
}

function bitwiseCrc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let i = 0; i < 8; i++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

function checkCrc32() {
  const crc = new Component("crc32");
  assert.equal(crc.render("123456789").text, "cbf43926\n");
  assert.equal(crc.render("").text, "00000000\n");
  const next = noise(7);
  for (let size = 1; size < 3000; size = size * 2 + 1) {
    const bytes = Buffer.from(Array.from({ length: size }, () => next() & 255));
    const expected = bitwiseCrc32(bytes);
    if (nodeCrc32) assert.equal(nodeCrc32(bytes), expected);
    assert.equal(crc.render(bytes).text, expected.toString(16).padStart(8, "0") + "\n");
  }
  assert.throws(() => crc.exports.render(crc.inputCap + 1), WebAssembly.RuntimeError);
}

const MODES = ["syntax", "string", "number", "deep", "trailing", "end"];
const jsonRejections = [
  ["", 0, "end"], ["  ", 2, "end"], ["[1,2", 4, "end"], ["[1,]", 3, "syntax"], ["[,1]", 1, "syntax"],
  ['{"a" 1}', 5, "syntax"], ["{a:1}", 1, "syntax"], ['{"a":1,}', 7, "syntax"], ['{"a":1', 6, "end"], ["tru", 3, "end"],
  ["trve", 2, "syntax"], ["nul", 3, "end"], ['"abc', 4, "end"], ['"a\nb"', 2, "string"], ['"\\x"', 2, "string"],
  ['"\\u12g4"', 5, "string"], ['"\\u12', 5, "end"], ["01", 1, "number"], ["-", 1, "end"], ["-x", 1, "number"],
  ["1.", 2, "end"], ["1.x", 2, "number"], ["1e", 2, "end"], ["1e+x", 3, "number"], [".5", 0, "syntax"], ["+1", 0, "syntax"],
  ["1 2", 2, "trailing"], ["{}x", 2, "trailing"], ["[]]", 2, "trailing"], ["[1}", 2, "syntax"], ['{"a":1]', 6, "syntax"],
  ["[".repeat(1025), 1024, "deep"], ["'a'", 0, "syntax"], ["\ufeff1", 0, "syntax"], ["[1\v]", 2, "syntax"],
];

function checkJson() {
  const json = new Component("validate-json");
  for (const [text, offset, mode] of jsonRejections) {
    const result = json.render(text);
    assert.deepEqual([result.offset, MODES[result.mode]], [offset, mode], JSON.stringify(text.slice(0, 20)));
    assert.throws(() => JSON.parse(text));
  }
  const good = ["0", "-0", "1.5e-3", '"\\u00e9\\n"', "[]", "{}", " [ 1 , {\"a\" : [ true , null ] } ] ", '{"":{"x":[[[]]]}}',
    "[".repeat(1024) + "]".repeat(1024), '"\u{1f600}"', "1E5", "[1,2,3]\n"];
  for (const text of good) {
    const result = json.render(text);
    assert.equal(result.text, text);
    assert.equal(result.pointer, json.exports.input_ptr(), "the result is the input itself");
    JSON.parse(text);
  }
  // Every mutation of a document is judged as JSON.parse judges it.
  const document = '{"a":[1,-2.5e+3,"x\\ty"],"b":{"c":null,"d":[true,false]}}';
  const next = noise(99);
  for (let i = 0; i < 5000; i++) {
    const at = next() % document.length;
    const piece = '{}[]",:0123456789-+.eE\\ntrufal \n'[next() % 32];
    const kind = next() % 3;
    const text = document.slice(0, at) + (kind === 0 ? "" : piece) + document.slice(kind === 2 ? at : at + 1);
    let valid = true;
    try {
      JSON.parse(text);
    } catch {
      valid = false;
    }
    assert.equal("output" in json.render(text), valid, text);
  }
}

function checkBlend() {
  const blend = new Component("blend");
  const next = noise(5);
  for (const pixels of [0, 1, 3, 4, 5, 16, 1023]) {
    const halves = [0, 1].map(() => {
      const bytes = new Uint8Array(pixels * 4);
      for (let i = 0; i < bytes.length; i += 4) {
        const alpha = [0, 255, next() & 255][next() % 3];
        for (let c = 0; c < 3; c++) bytes[i + c] = Math.round(((next() & 255) * alpha) / 255);
        bytes[i + 3] = alpha;
      }
      return bytes;
    });
    const expected = halves[0].map((value, i) =>
      Math.min(255, value + Math.round((halves[1][i] * (255 - halves[0][i | 3])) / 255)));
    assert.deepEqual(new Uint8Array(blend.render(Buffer.concat(halves)).output), expected);
  }
  assert.equal(blend.render(new Uint8Array(12)).rejected, 0);
}

function checkPrimes() {
  const primes = new Component("primes");
  const expected = (limit) => {
    const lines = [];
    for (let n = 2; n <= limit; n++) {
      let d = 2;
      while (d * d <= n && n % d) d++;
      if (d * d > n) lines.push(n);
    }
    return lines.join("\n") + "\n";
  };
  assert.equal(primes.render("", { limit: 30 }).text, expected(30));
  assert.equal(primes.render().text, expected(10000), "the default is back after a render");
  assert.equal(primes.exports.uniform_set_limit(0), 2);
  assert.equal(primes.render().text, "2\n");
  assert.equal(primes.exports.uniform_set_limit(-1) >>> 0, 1000000);
  assert.equal(primes.render().text.split("\n").length - 1, 78498);
  assert.throws(() => primes.exports.render(1), WebAssembly.RuntimeError);
}

function checkUniforms() {
  const uniforms = new Component("uniforms");
  const values = (text) => Object.fromEntries(text.trimEnd().split("\n").map((line) => {
    const [name, type, bits] = line.split(" ");
    return [name, `${type}:${bits}`];
  }));
  const f32 = (x) => "f32:0x" + new Uint32Array(new Float32Array([x]).buffer)[0].toString(16).padStart(8, "0");
  const f64 = (x) => "f64:0x" + new BigUint64Array(new Float64Array([x]).buffer)[0].toString(16).padStart(16, "0");
  const i32 = (x) => "i32:0x" + (x >>> 0).toString(16).padStart(8, "0");
  const i64 = (x) => "i64:0x" + BigInt.asUintN(64, x).toString(16).padStart(16, "0");
  const defaults = {
    angle: f64(0), bits_f32: f32(0), bits_f64: f64(0), bits_i32: i32(0), bits_i64: i64(0n), count: i32(1), scale: f32(1), shift: i64(0n),
  };
  assert.deepEqual(values(uniforms.render().text), defaults);
  const cases = [
    ["bits_i32", 0xdeadbeef, 0xdeadbeef | 0, i32(0xdeadbeef)], ["bits_i64", -1n, -1n, i64(-1n)],
    ["bits_f32", 0.1, Math.fround(0.1), f32(0.1)], ["bits_f32", -0, -0, f32(-0)], ["bits_f32", 1e39, Infinity, f32(Infinity)],
    ["bits_f64", 5e-324, 5e-324, f64(5e-324)], ["bits_f64", -Infinity, -Infinity, f64(-Infinity)],
    ["count", 0, 1, i32(1)], ["count", 5, 5, i32(5)], ["count", 0xffffffff, 1000, i32(1000)],
    ["shift", -(1n << 62n), -1000000000000n, i64(-1000000000000n)], ["shift", 1n << 62n, 1000000000000n, i64(1000000000000n)],
    ["shift", -7n, -7n, i64(-7n)], ["scale", NaN, 1, f32(1)], ["scale", -3, 0, f32(0)], ["scale", 1e9, 8, f32(8)],
    ["scale", 0.25, 0.25, f32(0.25)], ["angle", NaN, 0, f64(0)], ["angle", 200, 180, f64(180)], ["angle", -181, -180, f64(-180)],
    ["angle", 12.5, 12.5, f64(12.5)],
  ];
  for (const [key, given, applied, shown] of cases) {
    assert.equal(uniforms.exports[`uniform_set_${key}`](given), applied, `${key}(${given})`);
    assert.deepEqual(values(uniforms.render().text), { ...defaults, [key]: shown });
    assert.deepEqual(values(uniforms.render().text), defaults, "defaults are back after a render");
  }
}

function checkV1() {
  const count = new Component("v1-count");
  for (const text of ["", "a", "one two\nthree\n", "\n\n \t x", "é è\r\n"]) {
    const { input_ptr, output_ptr, run, memory } = count.exports;
    new Uint8Array(memory.buffer).set(Buffer.from(text), input_ptr.value);
    const size = run(Buffer.byteLength(text));
    const got = Buffer.from(memory.buffer, output_ptr.value, size).toString();
    const words = text.split(/[ \t\n\v\f\r]+/).filter(Boolean).length;
    const expected = text ? `${text.split("\n").length - 1} ${words} ${Buffer.byteLength(text)}\n` : "";
    assert.equal(got, expected);
  }
  const points = new Component("v1-codepoints");
  const text = "aé€\u{1f600}\0z";
  const items = points.exports.run(points.putInput(text));
  const got = Array.from(new Uint32Array(points.exports.memory.buffer, points.exports.output_ptr(), items));
  assert.deepEqual(got, Array.from(text, (c) => c.codePointAt(0)));
  assert.throws(() => points.exports.run(65537), WebAssembly.RuntimeError);
}

function checkV2() {
  const upper = new Component("v2-upper");
  const text = "Hello, z{a`\n";
  const size = upper.exports.render(upper.putInput(text));
  assert.equal(upper.exports.commit(), BigInt(text.length));
  assert.equal(Buffer.from(upper.memory.slice(upper.exports.output_ptr(), upper.exports.output_ptr() + size)).toString(), "HELLO, Z{A`\n");
  upper.exports.render(upper.putInput("abcé"));
  assert.equal(BigInt.asUintN(64, upper.exports.commit()), (3n << 62n) | 3n);
}

function checkFail() {
  const fail = new Component("fail");
  const traps = { u: /unreachable/, m: /out of bounds/, d: /divide by zero/, o: /unrepresentable|overflow/, t: /null function|signature/, x: /table index|out of bounds/ };
  for (const [letter, message] of Object.entries(traps)) assert.throws(() => fail.start().render(letter), message, letter);
  assert.equal(fail.start().render("r").rejected, 0);
  assert.throws(() => fail.render("b"), /reserved bits/);
  assert.throws(() => fail.render("l"), /over the capacity/);
  assert.throws(() => fail.render("p"), /outside memory/);
  assert.throws(() => fail.render("8"), TypeError);
  assert.equal(fail.render("").text, "");
  assert.equal(fail.render("hello").text, "hello");
}

checkCrc32();
checkJson();
checkBlend();
checkPrimes();
checkUniforms();
checkV1();
checkV2();
checkFail();
