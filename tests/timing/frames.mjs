// Frames on the gauge: the wasteful layer found by its surviving bytes, the fix with the same digests and less work, the timed copy's own
// figures, the pictures, and every way to get a script wrong.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { bad, contents, csv, example, file, good, layerOptions, layers, requirePackage, run, scratch, sum, tilt } from "./support.mjs";

const script = file("tilt.txt", `# tilt, then look\n\n${tilt}warmup 2\nframes 3\n`);
const play = ["--script", script, "--clock", "off"];

function checkWaste() {
  const table = (name) => csv(good("time", example(name), "--symbols", example(`${name}-named`), ...play, ...layerOptions, "--quiet").out);
  const waste = table("gauge");
  const named = csv(good("time", example("gauge-named"), ...play, ...layerOptions, "--quiet").out);
  assert.deepEqual(waste, named, "the stripped build with its twin's names");
  const share = (row) => Number(row.output_bytes_surviving) / Number(row.output_bytes_written);
  const drawn = waste.filter((row) => layers.includes(row.layer));
  assert.equal(drawn.toSorted((a, b) => share(a) - share(b))[0].layer, "case_top", "least of it survives");
  const fixed = table("gauge-fixed");
  const work = (rows, layer) => Number(rows.find((row) => row.layer === layer).self_instructions);
  assert.ok(work(fixed, "case_top") * 2 < work(waste, "case_top"));
  for (const layer of ["bezel", "dial", "ticks", "hand", "glass"]) assert.equal(work(fixed, layer), work(waste, layer), layer);
  assert.equal(sum(fixed.slice(0, -1), "output_bytes_surviving"), sum(waste.slice(0, -1), "output_bytes_surviving"), "the whole surface");
  const { err } = good("time", example("gauge"), ...play, "--compare", example("gauge-fixed"));
  assert.match(err, /compared with .*gauge-fixed\.wasm: all 6 frames are the same; there, frames: 3, instructions each/);
}

function checkDifference() {
  const night = file("night.txt", "render\nuniform night=1\nrender\n");
  good("time", example("gauge"), "--script", night, "--frame-report", "frames.csv", "--quiet", "--clock", "off");
  const frames = csv(contents("frames.csv").toString());
  assert.deepEqual(frames.map((row) => row.kind), ["first", "measured", "measured"]);
  assert.equal(frames[0].digest, frames[1].digest);
  assert.notEqual(frames[1].digest, frames[2].digest);
  const output = good("run", example("gauge"), "--digest", "-o", "/dev/null").err;
  assert.ok(output.includes(frames[0].digest), "the digest that run tells");
  bad(3, new RegExp(`^wasmeter: .*primes\\.wasm: frame 0 is not that of .*gauge\\.wasm: digest [0-9a-f]{32}, not ${frames[0].digest}; first at byte 0 \\(of \\d+ and 230624 bytes\\)\n$`),
    "time", example("gauge"), "--compare", example("primes"));
  // The same length, other pixels: a copy with another background colour.
  const other = readFileSync(example("gauge"));
  const places = findConstant(other, 0xff241c18 | 0);
  assert.ok(places.length > 0, "the colour is a constant of the code");
  for (const place of places) other[place] ^= 1;
  bad(3, /frame 0 is not that of .*; first at byte 224 \(of 230624 and 230624 bytes\)/, "time", example("gauge"), "--script", script, "--compare", file("other.wasm", other));
}

// Where `i32.const value` has its first byte.
function findConstant(bytes, value) {
  const leb = [];
  for (let rest = value; ; rest >>= 7) {
    const byte = rest & 0x7f;
    const done = (rest >> 7 === 0 && !(byte & 0x40)) || (rest >> 7 === -1 && byte & 0x40);
    leb.push(done ? byte : byte | 0x80);
    if (done) break;
  }
  const needle = Buffer.from([0x41, ...leb]);
  const places = [];
  for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + 1)) places.push(at + 1);
  return places;
}

function checkTimedCopy() {
  const timed = (...more) => JSON.parse(good("time", example("gauge-timed"), ...play, "--format", "json", ...more).out);
  const first = timed();
  assert.deepEqual(timed(), first, "the same in every run");
  for (const stream of ["step", "fast"]) assert.deepEqual(timed("--stream", stream), first, stream);
  assert.equal(first.layer_times_clock, "virtual");
  // Two calls of the clock stand around each pass: its milliseconds are its instructions and the second call's few.
  const rows = csv(good("time", example("gauge-timed"), "--symbols", example("gauge-timed-named"), ...play, ...layerOptions, "--quiet").out);
  const total = (layer) => Number(rows.find((row) => row.layer === layer).total_instructions);
  layers.forEach((layer, i) => assert.ok(Math.abs(first.layer_times_ms[i] * 1e6 - total(layer)) < 100, `${layer}: ${first.layer_times_ms[i]} ms, ${total(layer)} instructions`));
  const real = JSON.parse(good("time", example("gauge-timed"), "--script", script, "--clock", "real", "--format", "json").out);
  assert.equal(real.layer_times_clock, "real");
  assert.ok(real.layer_times_ms.every((ms) => ms > 0));
  bad(6, /import/, "counts", example("gauge-timed"));
}

function checkCounters() {
  const counters = ["--export-counter", "blends_dial", "--export-counter", "blends_case_top"];
  const json = JSON.parse(good("time", example("gauge"), ...play, ...counters, "--format", "json").out);
  const { value, since_warmup: since } = json.exported_counters.blends_dial;
  assert.ok(value > since && since > 0);
  assert.equal(since % 3, 0, "three equal frames");
  const without = JSON.parse(good("time", example("gauge"), ...play, "--format", "json").out);
  assert.equal(json.instructions, without.instructions, "reading them does not count");
  bad(64, /--export-counter nobody: no function/, "time", example("gauge"), "--export-counter", "nobody");
  bad(64, /--export-counter render: no function/, "time", example("gauge"), "--export-counter", "render");
}

function checkPictures() {
  const { PNG } = requirePackage("pngjs");
  good("time", example("gauge"), ...play, "--save-frames", "pictures", "--quiet");
  const names = readdirSync(join(scratch, "pictures")).sort();
  assert.deepEqual(names, ["frame-0000.png", "frame-0003.png", "frame-0004.png", "frame-0005.png"]);
  good("run", example("gauge"), "-o", "first.ktx2");
  const picture = PNG.sync.read(contents("pictures/frame-0000.png"), { checkCRC: true });
  assert.deepEqual([picture.width, picture.height], [240, 240]);
  assert.ok(picture.data.equals(contents("first.ktx2").subarray(224)), "the very pixels");
  bad(65, /primes\.wasm: frame 0 cannot be saved, it is no KTX2 image: it does not begin with the KTX2 identifier/, "time", example("primes"), "--save-frames", "none");
  bad(73, /tilt\.txt/, "time", example("gauge"), "--save-frames", join(script, "below"));
}

function checkStatistics() {
  const moving = file("moving.txt", "render\n" + Array.from({ length: 20 }, (_, i) => `at ${1 + i * 16}\n${i ? "" : "key Right\n"}finish\nrender\n`).join(""));
  const json = JSON.parse(good("time", example("gauge"), "--script", moving, "--clock", "off", "--format", "json").out);
  const values = json.frame_report.list.filter((frame) => frame.kind === "measured").map((frame) => frame.instructions).sort((a, b) => a - b);
  assert.equal(values.length, 21);
  assert.deepEqual(json.frame_report.instructions, { minimum: values[0], median: values[10], p95: values[19], maximum: values[20] });
  assert.deepEqual(json.frame_report.list.slice(-1).map((frame) => frame.time_ms), [305]);
  const options = JSON.parse(good("time", example("gauge"), "--warmup", "2", "--frames", "4", "--clock", "off", "--format", "json").out);
  assert.deepEqual([options.frame_report.measured, options.frame_report.list.length], [4, 7]);
}

function checkFaults() {
  const scripted = (status, pattern, text, name = "gauge") => bad(status, pattern, "time", example(name), "--script", file("bad.txt", text));
  scripted(6, /gauge\.wasm: an event needs an open update \(line 2 of .*bad\.txt\)/, "render\nkey Left\n");
  scripted(6, /an update is open already \(line 2 of/, "at 1\nat 2\n");
  scripted(6, /no update is open \(line 1 of/, "finish\n");
  scripted(6, /render may not be called while an update is open \(line 3 of/, "# x\nat 1\nrender\n");
  scripted(6, /time must rise: 5 ms is not after 5 ms \(line 3 of/, "at 5\nfinish\nat 5\nfinish\n");
  scripted(6, /time must rise: 0 ms/, "at 0\n");
  scripted(6, /a uniform may not be set after the update's first event \(line 3 of/, "at 1\nkey a\nuniform night=1\n");
  scripted(6, /the update that line 2 of .*bad\.txt opens is never finished/, "render\nat 7\n");
  scripted(6, /begin_update_at and finish_update are not exported/, "at 1\nfinish\n", "primes");
  scripted(65, /unknown uniform "nothing" \(line 1 of/, "uniform nothing=1\n");
  scripted(65, /bad\.txt:2: want uniform, at, key, pointer, finish, render, warmup or frames, not "jump"/, "render\njump 3\n");
  scripted(65, /bad\.txt:1: want pointer MASK X Y/, "pointer 1 2\n");
  scripted(65, /bad\.txt:1: want a 32-bit number, not "x"/, "pointer 1 x 2\n");
  scripted(65, /bad\.txt:1: want a character, a key's name or a keysym's number, not "Nokey"/, "key Nokey\n");
  scripted(65, /bad\.txt:1: want flags: .*, not "down\+sideways"/, "key Left down+sideways\n");
  scripted(65, /bad\.txt:1: want a number of frames, not "0"/, "frames 0\n");
  scripted(65, /bad\.txt:1: want milliseconds, not "soon"/, "at soon\n");
  scripted(65, /bad\.txt:1: .*uniform/i, "uniform night\n");
  scripted(65, /the script has no step/, "# nothing\n");
  bad(6, /only components of contract V3 can be rendered again \(--frames\)/, "time", example("v2-upper"), "-i", file("in", "x"), "--frames", "2");
  bad(66, /no-such\.txt/, "time", example("gauge"), "--script", "no-such.txt");
  bad(5, /instruction budget of 6000000 exhausted, in .* \(running render\) \(--frames\)/, "time", example("gauge"), "--frames", "1000", "--budget", "6000000");
  const partial = run("time", example("gauge"), "--frames", "1000", "--budget", "6000000", "--partial", "--clock", "off");
  assert.equal(partial.status, 5);
  assert.equal(sum(csv(partial.out), "self_instructions"), 6000000);
  bad(65, /symbols are not of the same code/, "time", example("gauge"), "--symbols", example("gauge-fixed-named"));
  bad(64, /layer "x=nowhere" matches no function/, "time", example("gauge"), "--layer", "x=nowhere");
}

for (const check of [checkWaste, checkDifference, checkTimedCopy, checkCounters, checkPictures, checkStatistics, checkFaults]) check();
console.log("frames: all checks passed");
