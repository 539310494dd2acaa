// The reports as others read them: JSON by schemas, speedscope files by the viewer's own schema, folded stacks by their grammar.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { csv, example, file, good, layerOptions, requirePackage, sum, tilt } from "./support.mjs";

const Ajv = requirePackage("ajv").default;
const ajv = new Ajv({ allErrors: true, strict: false, formats: { uri: true } });
const text = file("in.md", "# Hello\n\nSome *text* with [a link](https://example.com).\n");
const script = file("tilt.txt", `${tilt}warmup 1\nframes 2\n`);
const count = { type: "integer", minimum: 0 };
const ns = { anyOf: [count, { type: "null" }] };
const object = (properties, optional = {}) => ({ type: "object", properties: { ...properties, ...optional }, required: Object.keys(properties), additionalProperties: false });
const costs = { calls: count, self_instructions: count, total_instructions: count, loads: count, stores: count, bytes_read: count, bytes_written: count, self_ns: ns, total_ns: ns };
const statistics = object({ minimum: count, median: count, p95: count, maximum: count });
const frameReport = object({
  measured: count,
  list: { type: "array", items: object({ frame: count, kind: { enum: ["first", "warmup", "measured"] }, time_ms: { type: "integer" }, instructions: count,
    output_bytes: count, digest: { type: "string", pattern: "^[0-9a-f]{32}$" } }, { interpreter_ns: count }) },
}, { instructions: statistics, interpreter_ns: statistics });
const report = (name, row) => object({
  report: { const: name }, complete: { const: true }, rows: { type: "array", items: row, minItems: 1 },
  instructions: count, loads: count, stores: count, bytes_read: count, bytes_written: count, sums: { type: "string" },
}, {
  interpreter_time_ns: count, probes: count, probe_cost_ns: count, probing_time_ns: count, frames: count, frame_report: frameReport, checked: { type: "string" }, surface_bytes: count, surface_address: count,
  layer_times_clock: { enum: ["real", "virtual"] }, layer_times_ms: { type: "array", items: { type: ["number", "null"] } },
  exported_counters: { type: "object", additionalProperties: object({ value: count, since_warmup: count }) },
  compared: object({ component: { type: "string" }, equal: { const: true }, frame_report: frameReport }),
});
const functionsSchema = report("time", object({ function: { type: "string", minLength: 1 }, index: count, ...costs }));
const layersSchema = report("layers", object({ layer: { type: "string", minLength: 1 }, ...costs, output_bytes_written: count, output_bytes_surviving: count }));
const traceSchema = {
  type: "object", required: ["event", "instruction"],
  properties: { event: { enum: ["before_load", "load", "before_store", "after_store", "copy", "before_copy", "after_copy", "fill", "before_fill", "after_fill", "init",
    "before_init", "after_init", "grow", "call", "return", "branch", "global0", "trap"] },
    instruction: count, function: count, name: { type: "string" }, op: count, memory: count, address: count, width: count, bytes: { type: "string", pattern: "^([0-9a-f]{2})*$" } },
};

function valid(schema, value, what) {
  const validate = ajv.compile(schema);
  assert.ok(validate(value), `${what}: ${ajv.errorsText(validate.errors)}`);
}

const gauge = ["time", example("gauge-named"), "--script", script, "--export-counter", "blends_dial", "--compare", example("gauge-fixed")];
valid(functionsSchema, JSON.parse(good("time", example("markdown-named"), "-i", text, "--format", "json").out), "functions");
valid(functionsSchema, JSON.parse(good(...gauge, "--format", "json").out), "functions over frames");
valid(layersSchema, JSON.parse(good(...gauge, ...layerOptions, "--check", "--format", "json").out), "layers over frames");
valid(layersSchema, JSON.parse(good("time", example("gauge-named"), ...layerOptions, "--format", "json").out), "layers");
valid(functionsSchema, JSON.parse(good("time", example("gauge-timed"), "--script", script, "--format", "json").out), "the timed copy");

for (const words of [[], ["--kind", "all"], ["--last", "20"]])
  for (const line of good("trace", example("crc32"), "-i", text, "--format", "json", ...words).out.trimEnd().split("\n")) valid(traceSchema, JSON.parse(line), line);

// speedscope: the schema that the viewer's package ships, and what the schema cannot say: samples, weights, and sums.
const release = join(dirname(createRequire(import.meta.url).resolve("speedscope/package.json")), "dist", "release");
const schema = JSON.parse(readFileSync(join(release, readdirSync(release).find((name) => name.startsWith("file-format-schema")))));
delete schema.$schema; // an older draft than the validator's own, of which nothing is used that has changed
const matches = ajv.compile(schema);
for (const words of [["--clock", "off"], [], layerOptions]) {
  const profile = JSON.parse(good("time", example("gauge-named"), "--script", script, "--format", "speedscope", "--quiet", ...words).out);
  assert.ok(matches(profile), ajv.errorsText(matches.errors));
  const rows = csv(good("time", example("gauge-named"), "--script", script, "--clock", "off", "--quiet").out);
  const [exact] = profile.profiles;
  assert.equal(exact.samples.length, exact.weights.length);
  assert.ok(exact.samples.flat().every((frame) => frame < profile.shared.frames.length));
  assert.equal(exact.weights.reduce((a, b) => a + b, 0), sum(rows, "self_instructions"));
  assert.equal(exact.endValue - exact.startValue, sum(rows, "self_instructions"));
  assert.equal(profile.profiles.length, words.includes("off") ? 1 : 2);
}

// Folded stacks: `name;name;name N`, each path once, no empty name; by function they are the self instructions.
const functions = csv(good("time", example("markdown-named"), "-i", text, "--clock", "off").out);
const folded = good("time", example("markdown-named"), "-i", text, "--clock", "off", "--format", "folded").out.trimEnd().split("\n");
const self = new Map(), seen = new Set();
for (const line of folded) {
  const match = /^([^;]+(?:;[^;]+)*) ([1-9][0-9]*)$/.exec(line);
  assert.ok(match, line);
  assert.ok(!seen.has(match[1]), `${match[1]} comes twice`);
  seen.add(match[1]);
  const name = match[1].split(";").at(-1);
  self.set(name, (self.get(name) ?? 0) + Number(match[2]));
}
for (const row of functions) assert.equal(self.get(row.function) ?? 0, Number(row.self_instructions), row.function);
assert.ok([...seen].some((path) => path.split(";").length > 3), "there are deep paths");
console.log(`formats: JSON, trace lines, speedscope and ${folded.length} folded stacks are as their readers want them`);
