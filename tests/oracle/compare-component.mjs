// The components made from wasmeter's core, run under V8, against the oracle: the
// page report component must give the oracle's report, the interpreter component
// the target's output, for every example and run of runs.mjs; what the oracle
// refuses, and every kind of malformed request, must be rejected. All requests go
// to one instance, so a request that leaves a trace spoils the next.
//
//   node compare-component.mjs PAGES.wasm INTERPRETER.wasm EXAMPLES_DIR [SOURCE_ROOT]

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Component, RunError } from './component-host.mjs';
import { measure } from './measure.mjs';
import { BOUNDARY, multipart } from './multipart.mjs';
import { runsOf } from './runs.mjs';

const BUDGET = 10_000_000; // the largest that the components take

const [pagesFile, interpreterFile, examples, sourceRoot = '.'] = process.argv.slice(2);
if (!examples) {
  console.error('usage: compare-component.mjs PAGES.wasm INTERPRETER.wasm EXAMPLES_DIR [SOURCE_ROOT]');
  process.exit(64);
}

const components = {
  pages: new Component(readFileSync(pagesFile)),
  output: new Component(readFileSync(interpreterFile)),
};
const failures = [];
const totals = { finished: 0, rejected: 0, malformed: 0 };

function expectedOf(bytes, run) {
  try {
    const { output, pages } = measure(bytes, { ...run, budget: BigInt(BUDGET) });
    return { pages: Buffer.from(pages), output: output.bytes };
  } catch (error) {
    if (error instanceof RunError) return null;
    throw error;
  }
}

// The rendered bytes, null for a rejection.
function rendered(component, request) {
  try {
    return component.render(request, { instruction_budget: String(BUDGET) }).bytes;
  } catch (error) {
    if (error.kind === 'rejected') return null;
    throw error;
  }
}

function checkAll(request, expected, name) {
  for (const [what, component] of Object.entries(components)) {
    const got = rendered(component, request);
    const wanted = expected && expected[what];
    if (got === null ? wanted !== null : wanted === null || !got.equals(wanted)) {
      failures.push(`${name}, ${what}: ${got === null ? 'rejected' : `${got.length} bytes`}, ` +
        `expected ${wanted === null ? 'a rejection' : `${wanted.length} bytes${got ? ' that differ' : ''}`}`);
    }
  }
}

function partsOf(bytes, { input, uniforms = {} }) {
  return [
    { name: 'component', body: bytes, filename: 'x.wasm' },
    ...(input ? [{ name: 'input', body: input }] : []),
    ...Object.entries(uniforms).map(([key, value]) => ({ name: `uniforms[${key}]`, body: value })),
  ];
}

// A change to a request that is well formed must make a malformed one.
const delimiter = `--${BOUNDARY}`;
const disposition = 'Content-Disposition: form-data; name="input"';
const MALFORMED = {
  'a preamble': (text) => `x\r\n${text}`,
  'nothing at all': () => '',
  'no closing delimiter': (text) => text.slice(0, -delimiter.length - 6),
  'trailing bytes': (text) => `${text}x`,
  'two line ends at the end': (text) => `${text}\r\n`,
  'another boundary': (text) => text.replaceAll('0000-000000000000', '0000-000000000001'),
  'a header without a colon': (text) => text.replace(disposition, `Nonsense\r\n${disposition}`),
  'a folded header': (text) => text.replace(disposition, `${disposition};\r\n size=1`),
  'another header': (text) => text.replace(disposition, `${disposition}\r\nContent-Length: 5`),
  'no disposition': (text) => text.replace(disposition, 'Content-Type: text/plain'),
  'two dispositions': (text) => text.replace(disposition, `${disposition}\r\n${disposition}`),
  'two content types': (text) => text.replace(disposition, `${disposition}\r\nContent-Type: a\r\nContent-Type: b`),
  'an empty content type': (text) => text.replace(disposition, `${disposition}\r\nContent-Type: `),
  'not form data': (text) => text.replace('form-data; name="input"', 'attachment; name="input"'),
  'no name': (text) => text.replace('; name="input"', '; filename="input"'),
  'two names': (text) => text.replace('name="input"', 'name="input"; name="input"'),
  'an unquoted name': (text) => text.replace('name="input"', 'name=input'),
  'a backslash in a name': (text) => text.replace('name="input"', 'name="in\\put"'),
  'an unknown field': (text) => text.replace('name="input"', 'name="other"'),
  'an empty uniform key': (text) => text.replace('name="input"', 'name="uniforms[]"'),
  'a bad uniform key': (text) => text.replace('name="input"', 'name="uniforms[A]"'),
  'a header block over 16 KiB': (text) => text.replace(disposition, `${disposition}\r\nContent-Type: ${'a'.repeat(17000)}`),
  'a semicolon in a quoted file name': (text) => text.replace('name="input"', 'name="input"; filename="a;b"'),
};
const BY_PARTS = {
  'no component': (parts) => parts.slice(1),
  'two components': (parts) => [parts[0], ...parts],
  'two inputs': (parts) => [...parts, parts[1]],
  'the same uniform twice': (parts) => [...parts, ...Array(2).fill({ name: 'uniforms[a]', body: '1' })],
  'an empty component': (parts) => [{ ...parts[0], body: '' }, ...parts.slice(1)],
};

function checkMalformed(bytes) {
  const parts = partsOf(bytes, { input: Buffer.from('hello') });
  const request = multipart(parts);
  const expected = expectedOf(bytes, { input: Buffer.from('hello') });
  checkAll(request, expected, 'the request before it is spoilt');
  const spoilt = [
    ...Object.entries(MALFORMED).map(([name, change]) => [name, Buffer.from(change(request.toString('latin1')), 'latin1')]),
    ...Object.entries(BY_PARTS).map(([name, change]) => [name, multipart(change(parts))]),
  ];
  for (const [name, changed] of spoilt) {
    if (changed.equals(request)) failures.push(`${name}: the request was not changed`);
    checkAll(changed, null, name);
    totals.malformed++;
  }
  checkAll(request, expected, 'the request after the spoilt ones');
  checkBoundary(parts, expected);
}

// The boundary is read from the live slot at each render; only lowercase will do.
function checkBoundary(parts, expected) {
  const uuids = { '01234567-89ab-cdef-0123-456789abcdef': expected, '01234567-89AB-cdef-0123-456789abcdef': null, ['not a uuid'.padEnd(36)]: null };
  for (const [uuid, wanted] of Object.entries(uuids)) {
    for (const component of Object.values(components)) component.setBoundary(uuid);
    checkAll(multipart(parts, `uuid-${uuid}`), wanted, `boundary ${uuid}`);
  }
  for (const component of Object.values(components)) component.setBoundary(BOUNDARY.slice('uuid-'.length));
}

const files = readdirSync(examples).filter((name) => name.endsWith('.wasm')).sort();
for (const file of files) {
  const bytes = readFileSync(join(examples, file));
  runsOf(file, sourceRoot).forEach((run, i) => {
    const expected = expectedOf(bytes, run);
    totals[expected ? 'finished' : 'rejected']++;
    checkAll(multipart(partsOf(bytes, run)), expected, `${file} run ${i}`);
  });
}
checkMalformed(readFileSync(join(examples, 'crc32.wasm')));

for (const failure of failures) console.error(failure);
console.log(
  `${files.length} targets: ${totals.finished} finished runs, ${totals.rejected} refused, ` +
    `${totals.malformed} malformed requests, ${failures.length} differ`);
process.exitCode = failures.length > 0 || totals.finished < 60 ? 1 : 0;
