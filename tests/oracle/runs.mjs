// Inputs and uniforms for every example component, for the comparison with the
// oracle: each run is { input, uniforms }, input a Buffer or absent. A component
// that is not listed gets the general runs, so a new example is compared from
// the day it is built.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const text = (string) => Buffer.from(string, 'utf8');

// Repeatable noise.
function noise(length, alphabet, seed = 1) {
  let state = seed;
  return Buffer.from(Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return alphabet[(state >>> 8) % alphabet.length];
  }));
}

const BYTES = Array.from({ length: 256 }, (_, i) => i);
const MARKS = text('ab \n\n*_`#>-+1.[]()<!&|\\~:"\'=');

const SAMPLE = text('# Hello\n\nSome *text* with [a link](https://example.com).');
const PROSE = text('The quick brown fox jumps over the lazy dog. '.repeat(40));

const GENERAL = [
  {}, { input: text('') }, { input: text('hello, world\n') }, { input: PROSE }, { input: noise(300, BYTES) },
];

const inputs = (...list) => list.map((input) => ({ input: Buffer.isBuffer(input) ? input : text(input) }));
const uniforms = (...list) => list.map((values) => ({ uniforms: values }));

const MARKDOWN = (root) => [
  ...inputs('', SAMPLE, PROSE, noise(4000, MARKS), noise(20000, MARKS, 7)),
  ...inputs('| a | b |\n|:--|--:|\n| 1 | *2* |\n', '> q\n> - a\n>   1. b\n\n```c\nint x;\n```\n', Buffer.from([0xff])),
  ...inputs(...['README.md', 'spec-tests/README.md'].map((name) => readIfThere(join(root, name))).filter(Boolean)),
];

function readIfThere(path) {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}

const DEFLATE = (root) => [
  ...inputs('', 'a', 'abcabcabcabc', PROSE, noise(5000, BYTES), noise(40000, text('abcd'), 3), Buffer.alloc(70000)),
  ...inputs(readFileSync(join(root, 'spec-tests/README.md'))),
];

const GAUGE = () => [{}, { input: text('x') }, ...uniforms({ reading: '700', night: '1' }, { reading: '4294967295' })];

const RUNS = {
  blend: () => inputs('', '12345678', noise(32, BYTES), noise(4096, BYTES, 3), noise(65536, BYTES, 5), '123'),
  crc32: () => inputs('', '123456789', PROSE, noise(70000, BYTES)),
  deflate: DEFLATE,
  fail: () => inputs('', 'all is well', ...'umdosrtxblp8'),
  gauge: GAUGE,
  'gauge-fixed': GAUGE,
  'gauge-timed': () => [{}], // has an import: not a component that runs as it is
  markdown: MARKDOWN,
  primes: () => [{}, ...uniforms({ limit: '0' }, { limit: '2' }, { limit: '30' }, { limit: '0x1000' }, { limit: '100000' })],
  'sample-page-report': () => inputs(SAMPLE, '# Hello', ''),
  uniforms: () => [
    {}, { input: text('x') },
    ...uniforms(
      { bits_i32: '0xdeadbeef', bits_i64: '-1', bits_f32: '0.1', bits_f64: '0.1' },
      { bits_f32: '16777217.0000000001', bits_f64: '9007199254740993', count: '4294967295', shift: '0x8000000000000000' },
      { bits_f32: '1e39', bits_f64: '-1e309', scale: '1e-46', angle: '-180.5' },
      { bits_f32: '0x1.fffffep127', bits_f64: '0x1p-1074', count: '0', shift: '-1000000000001' },
      { bits_f32: '-inf', bits_f64: 'inf', scale: '7.999999', angle: '1e2' },
      { angle: '1', bits_f32: '2', bits_f64: '3', bits_i32: '4', bits_i64: '5', count: '6', scale: '7', shift: '8' },
      { count: '-1' }, { count: '1_0' }, { nothing: '1' }, { bits_i64: '9223372036854775808' }, { scale: '' }),
  ],
  'v1-codepoints': () => inputs('', 'aé€😀', PROSE),
  'v1-count': () => inputs('', 'one two\nthree', PROSE),
  'v2-upper': () => inputs('', 'Shout', PROSE, 'naïve'),
  'validate-json': () => inputs('', '[1,2,{"a":null}]', '[1,]', '{"x":"\\u00e9"}', '['.repeat(300) + ']'.repeat(300), Buffer.from([0xc3])),
};

// The runs of a component's file name; NAME-named.wasm is NAME with its names.
export function runsOf(file, sourceRoot) {
  const name = file.replace(/\.wasm$/, '').replace(/-named$/, '');
  return Object.hasOwn(RUNS, name) ? RUNS[name](sourceRoot) : GENERAL;
}

export const LISTED = Object.keys(RUNS);
