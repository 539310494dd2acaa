// What the checks of `wasmeter time` and `wasmeter trace` share: running the program in a scratch folder that is left to the system, and
// reading its CSV. Every check is started as `node FILE WASMETER EXAMPLES_DIR`.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const [wasmeter, examplesDir] = process.argv.slice(2).map((path) => resolve(path));
export const scratch = mkdtempSync(join(tmpdir(), "timing-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));

export const example = (name) => join(examplesDir, `${name}.wasm`);

export function file(name, contents) {
  const path = join(scratch, name);
  writeFileSync(path, contents);
  return path;
}

export const contents = (name) => readFileSync(join(scratch, name));

export function run(...words) {
  const done = spawnSync(wasmeter, words, { cwd: scratch, maxBuffer: 1 << 28, encoding: "utf8" });
  assert.equal(done.error, undefined);
  return { status: done.status, out: done.stdout, err: done.stderr };
}

export function good(...words) {
  const { status, out, err } = run(...words);
  assert.equal(status, 0, `${words.join(" ")}: ${err}`);
  return { out, err };
}

// A failure is one line on standard error, this status, and nothing on standard output.
export function bad(status, pattern, ...words) {
  const done = run(...words);
  assert.equal(done.status, status, `${words.join(" ")}: ${done.err}`);
  assert.match(done.err, pattern);
  assert.equal(done.err.trimEnd().split("\n").length, 1, done.err);
  assert.equal(done.out, "");
}

// Rows as objects; names in the examples hold no commas.
export function csv(text) {
  const [head, ...rows] = text.trimEnd().split("\n").map((line) => line.split(","));
  return rows.map((row) => {
    assert.equal(row.length, head.length);
    return Object.fromEntries(row.map((field, i) => [head[i], field]));
  });
}

export const sum = (rows, column) => rows.reduce((total, row) => total + Number(row[column]), 0);

// A package of tests/package.json; a missing one is a failure that says what to do.
export function requirePackage(name) {
  try {
    return createRequire(import.meta.url)(name);
  } catch (error) {
    throw new Error(`${name} is missing: run \`npm ci\` in tests/ first (${error.message})`);
  }
}

export const layers = ["case_top", "bezel", "dial", "ticks", "hand", "glass"];
export const layerOptions = layers.flatMap((name) => ["--layer", `${name}=draw_${name}`]).concat("--layer", "segment=draw_segment");
export const tilt = "at 1\npointer 1 120 120\npointer 1 190 120\npointer 0 190 120\nfinish\n";
