// --save-frames on images made here: floats with both sets of primaries against the sRGB formula, and images that are not what they say.
import assert from "node:assert/strict";
import { bad, contents, file, good, requirePackage } from "./support.mjs";

const { PNG } = requirePackage("pngjs");

function signed(value) {
  const bytes = [];
  for (let rest = BigInt(value); ; ) {
    const byte = Number(rest & 0x7fn);
    rest >>= 7n;
    const done = (rest === 0n && !(byte & 0x40)) || (rest === -1n && byte & 0x40);
    bytes.push(done ? byte : byte | 0x80);
    if (done) return bytes;
  }
}

const unsigned = (value) => (value < 128 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)]);
const section = (id, bytes) => [id, ...unsigned(bytes.length), ...bytes];
const name = (text) => [text.length, ...Buffer.from(text)];

// A generator of contract V3 whose every frame is these bytes.
function component(frame) {
  const body = (code) => [...unsigned(code.length + 2), 0, ...code, 0x0b];
  return Buffer.from([
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    ...section(1, [2, 0x60, 0, 1, 0x7f, 0x60, 1, 0x7f, 1, 0x7e]),
    ...section(3, [2, 0, 1]),
    ...section(5, [1, 1, 2, 2]),
    ...section(7, [3, ...name("memory"), 2, 0, ...name("output_bytes_cap"), 0, 0, ...name("render"), 0, 1]),
    ...section(10, [2, ...body([0x41, ...signed(frame.length)]), ...body([0x42, ...signed((1024n << 32n) | BigInt(frame.length))])]),
    ...section(11, [1, 0, 0x41, ...signed(1024), 0x0b, ...unsigned(frame.length), ...frame]),
  ]);
}

function ktx2(format, width, height, primaries, pixels) {
  const bytes = Buffer.alloc(240 + pixels.length); // pixels not where most files have them
  Buffer.from([0xab, 0x4b, 0x54, 0x58, 0x20, 0x32, 0x30, 0xbb, 0x0d, 0x0a, 0x1a, 0x0a]).copy(bytes);
  [[12, format], [16, 4], [20, width], [24, height], [36, 1], [40, 1], [48, 104], [52, 92], [80, 240], [88, pixels.length], [96, pixels.length]]
    .forEach(([at, value]) => bytes.writeUInt32LE(value, at));
  bytes[117] = primaries;
  pixels.copy(bytes, 240);
  return bytes;
}

const floats = (values) => Buffer.from(new Float32Array(values).buffer);
const level = (light) => {
  const cut = Math.min(1, Math.max(0, light));
  return Math.round(255 * (cut <= 0.0031308 ? 12.92 * cut : 1.055 * cut ** (1 / 2.4) - 0.055));
};

function save(frame) {
  good("time", file("image.wasm", component(frame)), "--save-frames", "images", "--quiet");
  return PNG.sync.read(contents("images/frame-0000.png"), { checkCRC: true });
}

// BT.709: every light by the formula, from below 0 to above 1.
const lights = Array.from({ length: 400 }, (_, i) => (i - 20) / 350);
const plain = save(ktx2(109, 20, 20, 1, floats(lights.flatMap((light) => [light, light / 2, light * light, light]))));
assert.deepEqual([plain.width, plain.height], [20, 20]);
lights.forEach((light, i) => {
  const want = [level(light), level(light / 2), level(Math.fround(light * light)), Math.round(255 * Math.min(1, Math.max(0, light)))];
  want.forEach((value, c) => assert.ok(Math.abs(plain.data[4 * i + c] - value) <= (c === 3 ? 1 : 0), `light ${light}, channel ${c}: ${plain.data[4 * i + c]}, not ${value}`));
});

// Display P3: greys stay grey, its green and red lie outside and are cut; not-a-number counts as nothing.
const wide = save(ktx2(109, 5, 1, 12, floats([1, 1, 1, 1, 0.5, 0.5, 0.5, 0.5, 0, 1, 0, 1, 0.2, 0, 0, 1, NaN, Infinity, NaN, NaN])));
assert.deepEqual([...wide.data.subarray(0, 12)], [255, 255, 255, 255, 188, 188, 188, 128, 0, 255, 0, 255]);
assert.deepEqual([...wide.data.subarray(12, 16)], [level(0.2 * 1.2249401763), 0, 0, 255]);
assert.equal(wide.data[19], 0);

// A picture of two stored blocks.
const many = Buffer.alloc(4 * 200 * 100).map((_, i) => (i * 7) & 255);
assert.ok(save(ktx2(43, 200, 100, 1, many)).data.equals(many));

const refused = (pattern, frame) => bad(65, pattern, "time", file("image.wasm", component(frame)), "--save-frames", "images");
const pixel = Buffer.from([1, 2, 3, 4]);
const changed = (at, value) => {
  const frame = ktx2(43, 1, 1, 1, pixel);
  frame.writeUInt32LE(value, at);
  return frame;
};
refused(/neither 43 nor 109/, changed(12, 44));
refused(/sides are not within/, changed(20, 0));
refused(/sides are not within/, changed(24, 8193));
refused(/not one flat image/, changed(40, 2));
refused(/it is compressed/, changed(44, 1));
refused(/not as many bytes/, changed(88, 8));
refused(/lie outside it/, changed(80, 241));
refused(/lie outside it/, changed(84, 0x80000000));
refused(/header is cut short/, ktx2(43, 1, 1, 1, pixel).subarray(0, 103));
refused(/does not begin with/, Buffer.from("hello"));
console.log("pictures: all checks passed");
