// Uniform values, multipart requests, and the command lines of the oracles.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Component } from '../component-host.mjs';
import { BOUNDARY, CONTENT_TYPE, multipart, partOf } from '../multipart.mjs';
import { uniformValue } from '../uniforms.mjs';
import { assemble, generator, success, withInput } from './wat.mjs';

const setter = (type) => ({ params: [type], results: [type] });
const value = (type, text, key = 'k') => uniformValue(setter(type), key, text);

test('uniform values', () => {
  const cases = [
    ['i32', '4294967295', -1], ['i32', '0xFFFFFFFE', -2], ['i32', '007', 7],
    ['i64', '-9223372036854775808', -(2n ** 63n)], ['i64', '+5', 5n], ['i64', '0xffffffffffffffff', 2n ** 64n - 1n],
    ['f32', '0.1', Math.fround(0.1)], ['f32', '1e999', Infinity], ['f32', '-1e39', -Infinity], ['f32', '0x1p-149', 2 ** -149],
    ['f32', '16777217.0000000001', 16777218], ['f64', '16777217', 16777217], ['f64', '-inf', -Infinity], ['f64', 'nan', NaN],
    ['f64', '1e-400', 0],
  ];
  for (const [type, text, wanted] of cases) assert.deepEqual(value(type, text), wanted, `${type} ${text}`);
});

test('uniform values and keys that are refused', () => {
  const cases = [
    ['i32', '-1'], ['i32', '4294967296'], ['i32', ''], ['i32', ' 1'], ['i32', '1_000'], ['i32', '1.0'], ['i32', '0x'],
    ['i64', '9223372036854775808'], ['i64', '-0x10'], ['i64', '0x10000000000000000'], ['f32', '1_0'], ['f64', 'one'],
    ['f64', 'nan:0x1'], ['f64', ''],
  ];
  for (const [type, text] of cases) assert.throws(() => value(type, text), { kind: 'input' }, `${type} ${text}`);
  for (const key of ['', 'A', '1a', 'a_', 'a__b', '_a', 'a-b', 'a'.repeat(64)]) {
    assert.throws(() => value('i32', '1', key), { kind: 'input' }, key);
  }
  for (const key of ['a', 'a1', 'a_b', 'a_1', 'a'.repeat(63)]) assert.equal(value('i32', '1', key), 1);
  assert.throws(() => uniformValue({ params: ['i32'], results: ['i64'] }, 'a', '1'), { kind: 'contract' });
  assert.throws(() => uniformValue({ params: ['i32', 'i32'], results: ['i32'] }, 'a', '1'), { kind: 'contract' });
});

test('the multipart request, byte for byte', () => {
  const text = (parts) => multipart(parts).toString('latin1');
  assert.equal(BOUNDARY.length, 41);
  assert.equal(CONTENT_TYPE.indexOf('0'), 34);
  assert.equal(text([]), `--${BOUNDARY}--\r\n`);
  assert.equal(
    text([{ name: 'input', body: 'a\n' }, { name: 'component', body: Buffer.from([0, 0x61, 255]), filename: 'x.wasm' }]),
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="input"\r\n\r\na\n\r\n` +
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="component"; filename="x.wasm"\r\n` +
      `Content-Type: application/octet-stream\r\n\r\n\0a\xff\r\n--${BOUNDARY}--\r\n`);
  const inner = (end) => [{ name: 'a', body: `x\r\n--${BOUNDARY}${end}` }];
  assert.throws(() => multipart(inner('\r\n')), /holds the boundary/);
  assert.throws(() => multipart(inner('--')), /holds the boundary/);
  assert.doesNotThrow(() => multipart(inner('-x')));
  for (const name of ['', 'a"b', 'a\\b', 'é', 'a\n']) assert.throws(() => multipart([{ name, body: '' }]), name);
  assert.throws(() => multipart([{ name: 'a', body: '', filename: 'b"' }]));
  assert.deepEqual(partOf('a=b=c'), { name: 'a', body: 'b=c' });
  for (const option of ['=x', 'a', 'a=@']) assert.throws(() => partOf(option), option);
});

test('a component renders again and again on one instance', () => {
  const component = new Component(withInput('', { result: success(131000, 3), encoding: 'utf8' }));
  assert.equal(component.render('abc').bytes.toString(), 'abc');
  assert.equal(component.render('d').bytes.toString(), 'dbc');
  assert.equal(component.restart().render('e').bytes.toString(), 'e\0\0');
});

test('the boundary slot of a content type is live memory', () => {
  const type = `multipart/form-data;boundary=uuid-${'0'.repeat(36)}`;
  const component = new Component(withInput('', {
    fields: `(data (i32.const 1000) "${type}")
      (func (export "input_content_type_ptr") (result i32) i32.const 1000)
      (func (export "input_content_type_size") (result i32) i32.const ${type.length})`,
    result: success(1000, type.length),
  }));
  const uuid = '01234567-89ab-cdef-0123-456789abcdef';
  component.setBoundary(uuid);
  assert.equal(component.render('').bytes.toString(), `multipart/form-data;boundary=uuid-${uuid}`);
});

test('contracts that are refused', () => {
  const memory = '(memory (export "memory") 1 1)';
  const get = (name, body) => `(func (export "${name}") (result i32) ${body})`;
  const render = '(func (export "render") (param i32) (result i64) i64.const 0)';
  const cap = get('output_bytes_cap', 'i32.const 1');
  const cases = [
    [memory + render, /output capacity/],
    [render + cap, /no exported memory/],
    [memory + render + cap + get('output_utf8_cap', 'i32.const 1'), /output capacity/],
    [memory + render + get('output_bytes_cap', 'i32.const 0 i32.const 1 i32.add'), /not a static getter/],
    [memory + render + '(global $g (mut i32) (i32.const 1))' + get('output_bytes_cap', 'global.get $g'), /not a static/],
    [memory + render + cap + get('input_ptr', 'i32.const 0'), /incomplete input/],
    [memory + render + cap + get('input_ptr', 'i32.const 65535') + get('input_bytes_cap', 'i32.const 2'), /outside memory/],
    [memory + render + cap + get('output_content_type_ptr', 'i32.const 0'), /half a content type/],
    [memory + render + cap + '(func (export "run") (param i32) (result i32) i32.const 0)', /several contracts/],
    [memory + cap + '(func (export "render") (param i64) (result i64) i64.const 0)', /neither render nor run/],
    [`(import "a" "b" (func))${memory}${render}${cap}`, /has imports/],
  ];
  for (const [fields, wanted] of cases) {
    assert.throws(() => new Component(assemble(`(module ${fields})`)), { kind: 'contract', message: wanted }, fields);
  }
  const accepted = '(global $g i32 (i32.const 1))' + get('output_bytes_cap', 'global.get $g');
  assert.equal(new Component(assemble(`(module ${memory}${render}${accepted})`)).contract.output.capacity, 1);
});

test('the command lines', () => {
  const folder = mkdtempSync(join(tmpdir(), 'wasmeter-cli-'));
  const tool = (name) => new URL(`../${name}.mjs`, import.meta.url).pathname;
  try {
    const fields = '(func (export "uniform_set_at") (param i32) (result i32) local.get 0 i32.const 1 i32.store8 local.get 0)';
    writeFileSync(join(folder, 'good.wasm'), withInput('i32.const 131000 i32.load8_u drop', { fields }));
    writeFileSync(join(folder, 'trap.wasm'), generator('unreachable'));
    writeFileSync(join(folder, 'input.txt'), 'hi');
    const options = [join(folder, 'good.wasm'), '-i', join(folder, 'input.txt'), '-u', 'at=7'];
    const node = (...args) => spawnSync(process.execPath, args, { encoding: 'utf8' });
    const pages = node(tool('page-oracle'), ...options);
    assert.equal(pages.stdout.split('\n').slice(1).join('\n'), '0,other,0,0,0,1,1,1,1.00\n1,input,2,1,1,0,0,0,\n');
    const totals = node(tool('page-oracle'), ...options, '--counts').stdout;
    assert.equal(totals, 'metric,value\nmemory_reads,1\nmemory_writes,1\nbytes_read,1\nbytes_written,1\noutput_bytes,0\n');
    assert.match(node(tool('count-oracle'), ...options).stdout, /^metric,value\ninstructions,10\n/);
    const trapped = node(tool('page-oracle'), join(folder, 'trap.wasm'));
    assert.deepEqual([trapped.status, trapped.stdout, trapped.stderr], [4, '', 'page-oracle: unreachable\n']);
    assert.equal(node(tool('page-oracle')).status, 64);
    assert.equal(node(tool('page-oracle'), join(folder, 'none.wasm')).status, 66);
    const run = (...args) => node(tool('run-component'), join(folder, 'echo.wasm'), ...args);
    writeFileSync(join(folder, 'echo.wasm'), withInput('', { result: success(131000, 90) }));
    assert.equal(run('-i', join(folder, 'input.txt')).stdout, 'hi' + '\0'.repeat(88));
    assert.equal(run('-F', 'a=1').status, 65); // a request is longer than this input's capacity
    assert.equal(run('-F', 'a=1', '-i', join(folder, 'input.txt')).status, 64);
    const request = node(tool('multipart'), 'a=1', `b=@${join(folder, 'input.txt')}`);
    assert.equal(request.stdout, multipart([{ name: 'a', body: '1' }, { name: 'b', body: 'hi', filename: 'input.txt' }]).toString());
  } finally {
    rmSync(folder, { recursive: true });
  }
});
