// The sample of the page report: what sample-page-report does under V8, access by access, gives the four rows that
// its source promises. The module's text form is rewritten so that each load, store and write to global 0 reports to
// JavaScript; the report is then computed from what was reported, by the rules of the page report alone.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildDir, Component, readComponent, readModule, staticGetter } from "./support.mjs";

const header = "page,region,initialized_bytes,reads,bytes_read,writes,bytes_written,distinct_bytes_written,rewrite_ratio";
const promised = [
  "15,stack,0,935,3348,700,2888,415,6.96",
  "16,data+input,43776,641,1825,7,28,4,7.00",
  "48,input+output,0,400,1336,144,176,88,2.00",
  "80,other,0,23,92,4,16,16,1.00",
];
const input = "# Hello\n\nSome *text* with [a link](https://example.com).";
const html = '<h1>Hello</h1>\n<p>Some <em>text</em> with <a href="https://example.com">a link</a>.</p>\n';

const WIDTHS = { "i32.load": 4, "i32.load8_u": 1, "i64.load": 8, "i32.store": 4, "i32.store8": 1, "i64.store": 8 };

// Each access becomes a call of a function that reports it and then makes it.
function instrument(wat) {
  const wrappers = new Map();
  const lines = wat.split("\n").map((line) => {
    const access = /^(\s*)(i\d\d\.(?:load|store)[0-9a-z_]*)(?: offset=(\d+))?(?: align=\d+)?(\)*)$/.exec(line);
    if (access) {
      const [, indent, op, offset = "0", close] = access;
      assert.ok(WIDTHS[op], `no width known for ${op}`);
      const name = `$report_${op.replace(".", "_")}_${offset}`;
      const type = op.slice(0, 3);
      const load = op.includes("load");
      wrappers.set(name, `(func ${name} (param i32 ${load ? "" : type}) ${load ? `(result ${type})` : ""}
        i32.const ${load ? 0 : 1} local.get 0 i32.const ${offset} i32.add i32.const ${WIDTHS[op]} call $touch
        local.get 0 ${load ? "" : "local.get 1"} ${op} offset=${offset})`);
      return `${indent}call ${name}${close}`;
    }
    assert.doesNotMatch(line, /memory\.(copy|fill|init|grow)|v128/, "an operation this rewriting does not know");
    return line.replace(/^(\s*)global\.set \$g0(\)*)$/, "$1global.set $$g0 global.get $$g0 call $stack$2");
  });
  const first = lines.findIndex((line) => /^\s*\(func /.test(line));
  lines.splice(first, 0,
    '(import "report" "touch" (func $touch (param i32 i32 i32)))', '(import "report" "stack" (func $stack (param i32)))');
  const last = lines.findLastIndex((line) => line.trim() !== "");
  lines[last] = lines[last].replace(/\)$/, "\n" + [...wrappers.values()].join("\n") + ")");
  return lines.join("\n");
}

function assembleInstrumented() {
  const scratch = mkdtempSync(join(tmpdir(), "examples-"));
  try {
    const wat = execFileSync("wasm2wat", ["--generate-names", join(buildDir, "sample-page-report.wasm")], { encoding: "utf8" });
    writeFileSync(join(scratch, "in.wat"), instrument(wat));
    execFileSync("wat2wasm", [join(scratch, "in.wat"), "-o", join(scratch, "out.wasm")]);
    return readFileSync(join(scratch, "out.wasm"));
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

class Pages {
  constructor() {
    this.rows = new Map();
    this.lowest = Infinity;
  }
  row(page) {
    if (!this.rows.has(page)) this.rows.set(page, { initialized: 0, read: [0, 0], written: [0, 0], distinct: new Set() });
    return this.rows.get(page);
  }
  initialize(start, end) {
    for (let at = start; at < end; at++) this.row(at >> 16).initialized++;
  }
  touch(write, address, width) {
    const seen = new Set();
    for (let at = address; at < address + width; at++) {
      const row = this.row(at >> 16);
      const counter = write ? row.written : row.read;
      if (!seen.has(at >> 16)) counter[0]++;
      seen.add(at >> 16);
      counter[1]++;
      if (write) row.distinct.add(at);
    }
  }
  report(ranges) {
    const lines = [...this.rows].sort(([a], [b]) => a - b).map(([page, row]) => {
      const touches = ({ start, end }) => start < end && start < (page + 1) * 65536 && end > page * 65536;
      const labels = ["data", "input", "stack", "output"].filter((label) => ranges[label].some(touches));
      const distinct = row.distinct.size;
      const hundredths = Math.floor((200 * row.written[1] + distinct) / (2 * distinct));
      const ratio = distinct ? `${Math.floor(hundredths / 100)}.${String(hundredths % 100).padStart(2, "0")}` : "";
      return [page, labels.join("+") || "other", row.initialized, ...row.read, ...row.written, distinct, ratio].join(",");
    });
    return [header, ...lines];
  }
}

function reportUnderV8() {
  const found = readModule(readComponent("sample-page-report"));
  const pages = new Pages();
  let running = false;
  const module = new WebAssembly.Module(assembleInstrumented());
  const { exports } = new WebAssembly.Instance(module, {
    report: {
      touch: (write, address, width) => running && pages.touch(write, address, width),
      stack: (value) => (pages.lowest = Math.min(pages.lowest, value >>> 0)),
    },
  });
  const inputStart = staticGetter(found, "input_ptr");
  for (const { start, end } of found.data) pages.initialize(start, end);
  pages.initialize(inputStart, inputStart + input.length);
  new Uint8Array(exports.memory.buffer).set(Buffer.from(input), inputStart);
  running = true;
  const word = exports.render(input.length);
  const output = Number(word >> 32n);
  return pages.report({
    data: found.data,
    input: [{ start: inputStart, end: inputStart + staticGetter(found, "input_utf8_cap") }],
    stack: [{ start: pages.lowest, end: found.globals[0].value }],
    output: [{ start: output, end: output + Number(word & 0xffffffffn) }],
  });
}

const plain = new Component("sample-page-report");
assert.equal(plain.render(input).text, html);
assert.equal(plain.render(input).text, html, "a second render of one instance");
assert.equal(plain.render("").offset, 0);
assert.equal(plain.render("# Hallo").offset, 3);
assert.equal(plain.render(input.slice(0, 30)).offset, 30);
assert.equal(plain.render(input + "\n").offset, 56);
assert.deepEqual(reportUnderV8(), [header, ...promised]);
console.log([header, ...promised].join("\n"));
