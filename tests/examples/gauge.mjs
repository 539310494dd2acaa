// The gauge in its four builds, driven through scripts of updates and events: frames are well-formed KTX2, the same in every
// instance and in every build, kept still layers or not, however often the host updates; order violations trap; the
// shipped build has no imports, the named one has the same code, and the timed one adds a clock and two exports.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { Component, importPackage, readComponent, readModule } from "./support.mjs";

const { read: readKtx } = await importPackage("ktx-parse");
const builds = ["gauge", "gauge-named", "gauge-fixed", "gauge-timed"];
const layers = ["case_top", "bezel", "dial", "ticks", "hand", "glass"];
const SIDE = 240;
const [LEFT, UP, RIGHT, DOWN, ESCAPE] = [0xff51, 0xff52, 0xff53, 0xff54, 0xff1b];

let clock = 0; // every reading of the timed build's clock is a quarter of a millisecond after the last
const make = (name) => new Component(name, { qip_bench: { now_ms: () => (clock += 0.25) } });
const frame = (gauge, uniforms) => gauge.render("", uniforms).output;
const digest = (bytes) => createHash("sha256").update(bytes).digest("hex");

function update(gauge, now, events = []) {
  gauge.exports.begin_update_at(BigInt(now));
  const changed = events.map(([kind, ...args]) => gauge.exports[`${kind}_event`](...args));
  return { wake: Number(gauge.exports.finish_update()), changed };
}

const drag = (x, y) => [["pointer", 1, 120, 120], ["pointer", 1, 120 + x, 120 + y], ["pointer", 0, 120 + x, 120 + y]];

// A frame at rest, moving face-on, at night, under tilts in all directions with the hand in between, and face-on again.
function play(gauge) {
  const digests = [];
  const show = (uniforms) => digests.push(digest(frame(gauge, uniforms)));
  gauge.exports.uniform_set_reading(250);
  show();
  show();
  let now = 0;
  for (let i = 0; i < 4; i++) {
    update(gauge, (now += 40), [["key", RIGHT, 1], ["key", RIGHT, 0]]);
    show();
  }
  show({ night: 1 });
  show();
  for (const [x, y] of [[70, 0], [-30, 55], [-90, -20], [10, -90], [200, 200], [-239, -100]]) {
    update(gauge, (now += 16), [...drag(x, y), ["key", now % 3 ? UP : LEFT, 1]]);
    show();
    update(gauge, (now += 33));
    show(now % 2 ? { night: 1 } : {});
  }
  gauge.exports.begin_update_at(BigInt((now += 5)));
  gauge.exports.uniform_set_reading(1000);
  gauge.exports.key_event(ESCAPE, 1);
  assert.equal(Number(gauge.exports.finish_update()), now + 16);
  show();
  update(gauge, (now += 3000));
  show();
  return digests;
}

function checkBuilds() {
  const [shipped, ...others] = builds.map((name) => [name, play(make(name))]);
  assert.deepEqual(play(make("gauge")), shipped[1], "another instance");
  for (const [name, digests] of others) assert.deepEqual(digests, shipped[1], name);
  assert.ok(new Set(shipped[1]).size >= 18, "the script shows different frames");
  return shipped[1].length;
}

function checkFormat() {
  const output = frame(make("gauge"));
  assert.equal(output.length, 224 + 4 * SIDE * SIDE);
  const image = readKtx(output);
  assert.deepEqual([image.vkFormat, image.typeSize, image.pixelWidth, image.pixelHeight, image.pixelDepth], [43, 1, SIDE, SIDE, 0]);
  assert.deepEqual([image.layerCount, image.faceCount, image.supercompressionScheme, image.levels.length], [0, 1, 0, 1]);
  assert.equal(image.levels[0].levelData.byteLength, 4 * SIDE * SIDE);
  const [descriptor] = image.dataFormatDescriptor;
  assert.deepEqual([descriptor.colorModel, descriptor.colorPrimaries, descriptor.transferFunction, descriptor.flags], [1, 1, 2, 0]);
  assert.deepEqual(descriptor.samples.map((s) => [s.bitOffset, s.bitLength, s.channelType]), [[0, 7, 0], [8, 7, 1], [16, 7, 2], [24, 7, 31]]);
  assert.deepEqual(image.keyValue, { KTXorientation: "rd" });
  for (let at = 227; at < output.length; at += 4) assert.equal(output[at], 255, "opaque everywhere");
}

// The still layers that are kept give the frame that drawing them anew gives.
function checkKept() {
  const kept = make("gauge");
  kept.exports.uniform_set_reading(0);
  frame(kept);
  const before = Object.fromEntries(layers.map((name) => [name, kept.exports[`blends_${name}`]()]));
  update(kept, 1, [["key", RIGHT, 1], ["key", UP, 9]]);
  update(kept, 5000);
  const moved = frame(kept);
  for (const name of layers) {
    const drawn = kept.exports[`blends_${name}`]() - before[name];
    assert.equal(drawn > 0, ["hand", "glass"].includes(name), `${name}: ${drawn} blends in a kept frame`);
  }
  const fresh = make("gauge");
  fresh.exports.uniform_set_reading(100);
  assert.equal(digest(frame(fresh)), digest(moved));
  // A night frame in between takes the place of what was kept.
  const night = digest(frame(kept, { night: 1 }));
  assert.equal(digest(frame(kept)), digest(moved));
  assert.equal(digest(frame(kept, { night: 7 })), night);
  assert.notEqual(night, digest(moved));
}

function checkTime() {
  const often = make("gauge");
  const seldom = make("gauge");
  frame(often);
  frame(seldom);
  assert.equal(update(often, 10, [["key", RIGHT, 1]]).wake, 26);
  assert.equal(update(seldom, 10, [["key", RIGHT, 1]]).wake, 26);
  for (let now = 11; now < 60; now += 3) update(often, now);
  update(often, 60, [["key", DOWN, 1]]);
  update(seldom, 60, [["key", DOWN, 1]]);
  update(often, 61);
  update(often, 90);
  update(seldom, 90);
  assert.equal(digest(frame(often)), digest(frame(seldom)));
  assert.equal(update(often, 10000).wake, 10000, "at rest there is no wake");
  const { changed } = update(often, 10001, [["key", 0x41, 1], ["key", RIGHT, 0], ["key", ESCAPE, 1], ["pointer", 0, -1, -1], ...drag(5, 5), ["key", ESCAPE, 1]]);
  assert.deepEqual(changed, [0, 0, 0, 0, 0, 1, 0, 1]);
}

function checkOrder() {
  const traps = (label, steps, ready = true) => {
    const gauge = make("gauge");
    if (ready) frame(gauge);
    assert.throws(() => steps(gauge.exports), WebAssembly.RuntimeError, label);
  };
  traps("update before the first render", (e) => e.begin_update_at(1n), false);
  traps("event outside an update", (e) => e.key_event(RIGHT, 1));
  traps("pointer outside an update", (e) => e.pointer_event(0, 1, 1));
  traps("finish without begin", (e) => e.finish_update());
  traps("begin twice", (e) => (e.begin_update_at(1n), e.begin_update_at(2n)));
  traps("time zero", (e) => e.begin_update_at(0n));
  traps("time going back", (e) => (e.begin_update_at(5n), e.finish_update(), e.begin_update_at(5n)));
  traps("render while an update is open", (e) => (e.begin_update_at(1n), e.render(0)));
  traps("setter after the first event", (e) => (e.begin_update_at(1n), e.key_event(0, 0), e.uniform_set_reading(1)));
  traps("presentation setter after the first event", (e) => (e.begin_update_at(1n), e.pointer_event(0, 0, 0), e.uniform_set_night(1)));
  traps("update setter between updates", (e) => e.uniform_set_reading(1));
  traps("input", (e) => e.render(1));
  const gauge = make("gauge").exports;
  assert.equal(gauge.uniform_set_reading(-1) >>> 0, 1000, "readings are unsigned and clamped");
  assert.equal(gauge.uniform_set_night(5), 1);
}

function checkModules() {
  const modules = Object.fromEntries(builds.map((name) => [name, new WebAssembly.Module(readComponent(name))]));
  const imports = (name) => WebAssembly.Module.imports(modules[name]);
  const exports = (name) => WebAssembly.Module.exports(modules[name]).map((e) => e.name).sort();
  for (const name of ["gauge", "gauge-named", "gauge-fixed"]) assert.deepEqual(imports(name), [], name);
  assert.deepEqual(imports("gauge-timed"), [{ module: "qip_bench", name: "now_ms", kind: "function" }]);
  assert.deepEqual(exports("gauge-timed"), [...exports("gauge"), "layer_times_len", "layer_times_ptr"].sort());
  assert.deepEqual(exports("gauge-fixed"), exports("gauge"));
  assert.deepEqual(WebAssembly.Module.customSections(modules.gauge, "name"), []);
  const names = Buffer.from(WebAssembly.Module.customSections(modules["gauge-named"], "name")[0]).toString("latin1");
  for (const name of layers) assert.ok(names.includes(`draw_${name}`), `draw_${name} is a function of its own`);
  const bodies = (name) => readModule(readComponent(name)).bodies.map((body) => body.toString("hex"));
  assert.deepEqual(bodies("gauge"), bodies("gauge-named"));
  const text = Buffer.from(readComponent("gauge"));
  assert.ok(readModule(text).bodies.some((body) => body.includes(0xfd)), "vector instructions");
}

function checkWork() {
  const blends = (name) => {
    const gauge = make(name);
    frame(gauge);
    update(gauge, 1, drag(70, 0));
    for (let i = 0; i < 3; i++) frame(gauge);
    return Object.fromEntries(layers.map((layer) => [layer, gauge.exports[`blends_${layer}`]()]));
  };
  const { case_top: wasted, ...rest } = blends("gauge");
  const { case_top: rim, ...others } = blends("gauge-fixed");
  assert.deepEqual(others, rest);
  assert.ok(rim * 5 < wasted, `the rim takes ${rim} blends of ${wasted}`);
}

// As a benchmark host does: warm up, set the accumulators to zero, render, read them.
function checkTimer() {
  const timed = () => {
    clock = 0;
    const gauge = make("gauge-timed");
    frame(gauge);
    update(gauge, 1, drag(70, 0));
    for (let i = 0; i < 10; i++) frame(gauge);
    const totals = () => new Float64Array(gauge.exports.memory.buffer, gauge.exports.layer_times_ptr(), gauge.exports.layer_times_len());
    totals().fill(0);
    for (let i = 0; i < 6; i++) frame(gauge);
    return Array.from(totals());
  };
  // Two readings of this clock a layer and frame.
  assert.deepEqual(timed(), layers.map(() => 6 * 0.25));
}

const frames = checkBuilds();
checkFormat();
checkKept();
checkTime();
checkOrder();
checkModules();
checkWork();
checkTimer();
console.log(`gauge: ${frames} frames the same in ${builds.join(", ")}`);
