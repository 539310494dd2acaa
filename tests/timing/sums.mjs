// Functions, layers with unattributed, counts and pages agree exactly, for every example, over one render and over frames.
import assert from "node:assert/strict";
import { csv, example, file, good, layerOptions, sum, tilt } from "./support.mjs";

const text = "# Title\n\nSome *text* with `code` and [a link](https://example.com).\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";
const runs = [
  ["blend", Buffer.from(Array.from({ length: 4096 }, (_, i) => i & 255))],
  ["crc32", "123456789"], ["deflate", text], ["fail", "all is well"], ["gauge", null, "reading=40"], ["gauge-fixed", null, "night=1"],
  ["gauge-timed", null], ["markdown", text], ["primes", null, "limit=1000"], ["sample-page-report", "# Hello\n\nSome *text* with [a link](https://example.com)."], ["uniforms", null, "count=5"],
  ["v1-codepoints", "aé€😀"], ["v1-count", "one two\nthree"], ["v2-upper", "Shout"], ["validate-json", '{"a": [1, 2, {"b": null}]}'],
];
const columns = { self_instructions: "instructions", loads: "memory_reads", stores: "memory_writes", bytes_read: "bytes_read", bytes_written: "bytes_written" };
let checks = 0;

for (const [name, input, uniform] of runs) {
  const words = [example(name), ...(input === null ? [] : ["-i", file(`${name}.in`, input)]), ...(uniform ? ["-u", uniform] : [])];
  const functions = csv(good("time", ...words, "--clock", "off", "--check", "--quiet").out);
  const layered = csv(good("time", ...words, "--clock", "off", "--layer", `first=wasm-function[${functions[0].index === "0" ? functions[1].index : functions[0].index}]`,
    "--check", "--quiet").out);
  const total = layered.pop();
  assert.equal(total.layer, "total");
  assert.equal(layered.at(-1).layer, "unattributed");
  for (const column of Object.keys(layered[0]))
    if (!["layer", "total_instructions", "self_ns", "total_ns"].includes(column)) assert.equal(sum(layered, column), Number(total[column]), `${name}: ${column}`);
  for (const column of Object.keys(columns)) {
    assert.equal(sum(functions, column), sum(layered, column), `${name}: ${column} of functions and layers`);
    checks++;
  }
  if (name === "gauge-timed") continue; // has an import: only `time` runs it; --check has compared it
  const counts = Object.fromEntries(csv(good("counts", ...words).out).map((row) => [row.metric, Number(row.value)]));
  const pages = csv(good("pages", ...words).out);
  for (const [column, metric] of Object.entries(columns)) assert.equal(sum(functions, column), counts[metric], `${name}: ${column} and counts`);
  for (const column of ["bytes_read", "bytes_written"]) assert.equal(sum(functions, column), sum(pages, column), `${name}: ${column} and pages`);
}

// The same over frames with a warm-up, and the reports' own line.
const script = file("tilt.txt", `${tilt}warmup 2\nframes 3\n`);
for (const more of [[], layerOptions]) {
  const words = ["time", example("gauge-named"), "--script", script, "--check", "--clock", "off", ...more];
  assert.match(good(...words).err, /checked: the (functions|layers and unattributed) add up to counts .* and to the page report/);
  assert.match(good(...words, "--format", "table").out, /\nsums: the rows' own columns add up to these, which are the run's totals\n(.*\n)*checked: the /);
  const json = JSON.parse(good(...words, "--format", "json").out);
  assert.match(json.sums, /add up to these/);
  assert.match(json.checked, /add up to counts/);
  assert.equal(sum(json.rows.filter((row) => row.layer !== "total"), "self_instructions"), json.instructions);
  assert.equal(sum(json.frame_report.list.filter((frame) => frame.kind === "measured"), "instructions"), json.instructions, "frames are all that ran");
}
console.log(`sums: ${checks} columns of ${runs.length} runs agree`);
