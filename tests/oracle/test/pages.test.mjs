// The page oracle on modules whose reports were worked out by hand: one rule of
// the page report each.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HEADER } from '../activity.mjs';
import { measure } from '../measure.mjs';
import { assemble, generator, success, withInput } from './wat.mjs';

const report = (bytes, options) => {
  const { pages } = measure(bytes, options);
  assert.ok(pages.startsWith(HEADER + '\n'));
  return pages.slice(HEADER.length + 1).split('\n').slice(0, -1);
};

test('nothing touched: header only', () => {
  assert.deepEqual(report(generator('nop')), []);
  assert.equal(measure(generator('nop'), {}).pages, HEADER + '\n');
});

test('an access that crosses a page counts once on each, its bytes split', () => {
  const bytes = generator(`
    i32.const 65534 i32.load drop
    i32.const 65529 i64.const -1 i64.store
    i32.const 131064 v128.const i64x2 1 2 v128.store
    i32.const 0 i32.load offset=65533 drop`);
  assert.deepEqual(report(bytes), [
    '0,other,0,2,5,1,7,7,1.00',
    '1,other,0,2,3,2,9,9,1.00',
    '2,other,0,0,0,1,8,8,1.00',
  ]);
  const { counts } = measure(bytes, {});
  assert.deepEqual(
    [counts.memory_reads, counts.memory_writes, counts.bytes_read, counts.bytes_written], [2, 2, 8, 24]);
});

test('overlapping copies: one read and one write a page, bytes by page', () => {
  // 65530..65540 to 65532..65542, then within one page.
  const bytes = generator(`
    i32.const 65532 i32.const 65530 i32.const 10 memory.copy
    i32.const 104 i32.const 100 i32.const 8 memory.copy`);
  assert.deepEqual(report(bytes), ['0,other,0,2,14,2,12,12,1.00', '1,other,0,1,4,1,6,6,1.00']);
});

test('fills and copies over whole pages', () => {
  const bytes = generator(`
    i32.const 65000 i32.const 7 i32.const 70000 memory.fill
    i32.const 0 i32.const 65536 i32.const 131072 memory.copy`);
  assert.deepEqual(report(bytes), [
    '0,other,0,0,0,2,66072,65536,1.01',
    '1,other,0,1,65536,2,131072,65536,2.00',
    '2,other,0,1,65536,1,3928,3928,1.00',
  ]);
});

test('memory.init is a write of the segment', () => {
  const bytes = generator('i32.const 65534 i32.const 1 i32.const 4 memory.init $d data.drop $d', {
    fields: '(data $d "abcdef")',
  });
  assert.deepEqual(report(bytes), ['0,other,0,0,0,1,2,2,1.00', '1,other,0,0,0,1,2,2,1.00']);
});

test('zero-length bulk operations are nothing, at the end of memory too', () => {
  const bytes = generator(`
    i32.const 0 i32.const 0 i32.const 0 memory.copy
    i32.const 262144 i32.const 262144 i32.const 0 memory.copy
    i32.const 262144 i32.const 1 i32.const 0 memory.fill
    i32.const 5 i32.const 0 i32.const 0 memory.init $d`, { fields: '(data $d "x")' });
  assert.deepEqual(report(bytes), []);
});

test('bulk operations beyond the end trap even with no length', () => {
  const bytes = generator('i32.const 262145 i32.const 1 i32.const 0 memory.fill');
  assert.throws(() => report(bytes), { kind: 'trap', status: 4 });
});

test('labels: data, input over its capacity, stack, output over the returned bytes', () => {
  const bytes = withInput(
    `i32.const 131000 i32.load8_u drop
     i32.const 131100 i32.const 1 i32.store8
     global.get 0 i32.const 70000 i32.sub global.set 0
     i32.const 1000 i32.const 9 i32.store
     i32.const 196608 i32.load drop`,
    {
      fields: '(global (mut i32) (i32.const 131072)) (data (i32.const 65536) "abc") (data (i32.const 130990) "defg")',
      result: success(196600, 20),
    });
  assert.deepEqual(report(bytes, { input: Buffer.from('hello') }), [
    '0,stack,0,0,0,1,4,4,1.00', // 61072 up, below 65536
    '1,data+input+stack,12,1,1,0,0,0,',
    '2,input+output,0,0,0,1,1,1,1.00', // 131000 + 100 > 131072; the stack range is half-open
    '3,output,0,1,4,0,0,0,',
  ]);
});

test('initialized bytes: each copy of overlapping segments, empty ones label nothing', () => {
  const bytes = generator('nop', {
    fields: '(data (i32.const 65535) "ab") (data (i32.const 65535) "cd") (data (i32.const 131072) "")',
  });
  assert.deepEqual(report(bytes), ['0,data,2,0,0,0,0,0,', '1,data,2,0,0,0,0,0,']);
});

test('an empty input still labels, and initializes nothing', () => {
  const bytes = withInput('i32.const 131010 i32.load8_u drop');
  assert.deepEqual(report(bytes), ['1,input,0,1,1,0,0,0,']);
  assert.deepEqual(report(bytes, { input: Buffer.alloc(100) }), [
    '1,input,72,1,1,0,0,0,', '2,input,28,0,0,0,0,0,']);
});

test('the lowest stack pointer is unsigned and over setters and render', () => {
  const setter = '(func (export "uniform_set_a") (param i32) (result i32) i32.const 60000 global.set 0 local.get 0)';
  const body = 'i32.const -16 global.set 0 i32.const 70000 i32.load drop i32.const 60000 i32.load drop';
  const fields = '(global (mut i32) (i32.const 65536))' + setter;
  assert.deepEqual(report(generator(body, { fields })), ['0,other,0,1,4,0,0,0,', '1,other,0,1,4,0,0,0,']);
  assert.deepEqual(report(generator(body, { fields }), { uniforms: { a: '1' } }), [
    '0,stack,0,1,4,0,0,0,', '1,other,0,1,4,0,0,0,']);
});

test('a global 0 that is no stack pointer labels nothing', () => {
  const body = 'i32.const 100 i32.load drop';
  const cases = [
    ['(global i32 (i32.const 65536))', ''],
    ['(global (mut i32) (i32.const 65536))', ''],
    ['(global (mut i64) (i64.const 65536))', 'i64.const 1 global.set 0 '],
    ['(global (mut f32) (f32.const 65536))', 'f32.const 1 global.set 0 '],
    ['(global i32 (i32.const 1)) (global (mut i32) (i32.const 65536))', 'i32.const 1 global.set 1 '],
  ];
  for (const [fields, write] of cases) {
    assert.deepEqual(report(generator(write + body, { fields })), ['0,other,0,1,4,0,0,0,'], fields);
  }
  const written = generator('i32.const 96 global.set 0 ' + body, { fields: '(global (mut i32) (i32.const 65536))' });
  assert.deepEqual(report(written), ['0,stack,0,1,4,0,0,0,']);
});

test('the ratio is rounded half up in integers', () => {
  const times = (n, body) => Array(n).fill(body).join('\n');
  const byte = (at) => `i32.const ${at} i32.const 1 i32.store8\n`;
  const cases = [
    [times(5, byte(0)) + 'i32.const 1 i32.const 0 i32.const 199 memory.fill', '204,200,1.02'],
    [byte(0) + 'i32.const 0 i32.const 0 i32.const 200 memory.fill', '201,200,1.01'], // 1.005
    [times(3, byte(0)) + 'i32.const 0 i32.const 0 i32.const 800 memory.fill', '803,800,1.00'], // 1.00375
    [times(2, byte(0)) + byte(1) + byte(2), '4,3,1.33'],
  ];
  for (const [body, wanted] of cases) assert.ok(report(generator(body))[0].endsWith(wanted), wanted);
});

test('every scalar and SIMD access has its width', () => {
  const loads = {
    'i32.load': 4, 'i64.load': 8, 'f32.load': 4, 'f64.load': 8,
    'i32.load8_s': 1, 'i32.load8_u': 1, 'i32.load16_s': 2, 'i32.load16_u': 2,
    'i64.load8_s': 1, 'i64.load8_u': 1, 'i64.load16_s': 2, 'i64.load16_u': 2, 'i64.load32_s': 4, 'i64.load32_u': 4,
    'v128.load': 16, 'v128.load8x8_s': 8, 'v128.load8x8_u': 8, 'v128.load16x4_s': 8, 'v128.load16x4_u': 8,
    'v128.load32x2_s': 8, 'v128.load32x2_u': 8, 'v128.load8_splat': 1, 'v128.load16_splat': 2,
    'v128.load32_splat': 4, 'v128.load64_splat': 8, 'v128.load32_zero': 4, 'v128.load64_zero': 8,
  };
  const stores = {
    'i32.store': ['i32.const 0', 4], 'i64.store': ['i64.const 0', 8], 'f32.store': ['f32.const 0', 4],
    'f64.store': ['f64.const 0', 8], 'i32.store8': ['i32.const 0', 1], 'i32.store16': ['i32.const 0', 2],
    'i64.store8': ['i64.const 0', 1], 'i64.store16': ['i64.const 0', 2], 'i64.store32': ['i64.const 0', 4],
    'v128.store': ['v128.const i64x2 0 0', 16],
  };
  for (const [op, width] of Object.entries(loads)) {
    assert.deepEqual(report(generator(`i32.const 0 ${op} offset=65535 drop`)),
      ['0,other,0,1,1,0,0,0,'].concat(width > 1 ? [`1,other,0,1,${width - 1},0,0,0,`] : []), op);
  }
  for (const [op, [value, width]] of Object.entries(stores)) {
    const rows = report(generator(`i32.const 1000 ${value} ${op} offset=24`));
    assert.deepEqual(rows, [`0,other,0,0,0,1,${width},${width},1.00`], op);
  }
  for (const bits of [8, 16, 32, 64]) {
    const vector = 'v128.const i64x2 0 0';
    const width = bits / 8;
    assert.deepEqual(report(generator(`i32.const 8 ${vector} v128.load${bits}_lane 1 drop`)),
      [`0,other,0,1,${width},0,0,0,`]);
    assert.deepEqual(report(generator(`i32.const 8 ${vector} v128.store${bits}_lane offset=4 1`)),
      [`0,other,0,0,0,1,${width},${width},1.00`]);
  }
});

test('values pass through the rewritten accesses', () => {
  const bytes = generator(`
    i32.const 8 i64.const 0x11223344556699aa i64.store offset=4
    i32.const 40 i32.const 8 i64.load16_s offset=4 i64.store
    i32.const 60 i32.const 0 v128.const i64x2 -1 -1 v128.load8_lane offset=13 2 v128.store`, { result: success(40, 40) });
  const { output } = measure(bytes, {});
  assert.equal(output.bytes.toString('hex', 0, 8), 'aa99ffffffffffff');
  assert.equal(output.bytes.toString('hex', 20, 36), 'ffff99' + 'ff'.repeat(13));
});

test('indices survive: calls, tables, references, exports', () => {
  const bytes = generator('i32.const 1 call_indirect (result i32) i32.const 0 i32.load8_u i32.add call $show', {
    fields: `(table 3 funcref) (elem (i32.const 1) $seven $nine) (elem declare func $nine) (elem funcref (ref.func $nine))
      (func $seven (result i32) ref.func $nine drop i32.const 7)
      (func $nine (result i32) i32.const 9)
      (func $show (param i32) i32.const 0 local.get 0 i32.store8)`,
    result: success(0, 1),
  });
  assert.deepEqual([...measure(bytes, {}).output.bytes], [7]);
});

test('runs that do not finish give no report', () => {
  const modes = '(func (export "failure_modes_per_input_offset") (result i32) i32.const 2)';
  const cases = [
    [generator('unreachable'), {}, { kind: 'trap' }],
    [generator('i32.const 262143 i32.load drop'), {}, { kind: 'trap' }],
    [withInput('nop', { fields: modes, result: 'i64.const 0x8000000000000007' }), { input: Buffer.from('abc') }, { kind: 'rejected', offset: 3, mode: 1 }],
    [withInput('nop', { fields: modes, result: 'i64.const 0x8000000000000008' }), { input: Buffer.from('abc') }, { kind: 'contract' }],
    [generator('nop', { result: 'i64.const 0x8000000000000000' }), {}, { kind: 'contract' }],
    [generator('nop', { result: success(0, 65537) }), {}, { kind: 'contract' }],
    [generator('nop', { result: success(262140, 5) }), {}, { kind: 'contract' }],
    [generator('nop'), { input: Buffer.from('x') }, { kind: 'input' }],
    [withInput('nop'), { input: Buffer.alloc(101) }, { kind: 'input' }],
    [withInput('nop', { encoding: 'utf8' }), { input: Buffer.from([0xc0, 0x80]) }, { kind: 'input' }],
    [generator('nop'), { uniforms: { a: '1' } }, { kind: 'input' }],
    [withInput('nop', { fields: '(data (i32.const 131050) "x")' }), {}, { kind: 'contract' }],
    [generator('nop', { fields: '(func $s) (start $s)' }), {}, { kind: 'contract' }],
    [Buffer.from('0061736d02000000', 'hex'), {}, { kind: 'input' }],
    [generator('loop br 0 end'), { budget: 1000n }, { kind: 'budget', status: 5 }],
    [generator('nop nop nop'), { budget: 4n }, { kind: 'budget' }],
    [assemble('(module (memory (export "memory") 1))'), {}, { kind: 'contract' }],
  ];
  for (const [bytes, options, wanted] of cases) assert.throws(() => measure(bytes, options), wanted);
  measure(generator('nop nop nop'), { budget: 5n });
});

test('V2: output_ptr and commit run unseen', () => {
  const text = (verdict) => assemble(`(module
    (memory (export "memory") 2 2)
    (global $sp (mut i32) (i32.const 65536))
    (func (export "input_ptr") (result i32) i32.const 8 i32.load drop i32.const 0)
    (func (export "input_bytes_cap") (result i32) i32.const 100)
    (func (export "output_ptr") (result i32) i32.const 8 i32.load drop i32.const 65536)
    (func (export "output_utf8_cap") (result i32) i32.const 100)
    (func (export "commit") (result i64) i32.const 0 global.set $sp i32.const 8 i32.load drop i64.const ${verdict})
    (func (export "render") (param i32) (result i32) i32.const 65536 i32.const 0x4241 i32.store16 i32.const 2))`);
  const { pages, counts, output, needed } = measure(text('1'), { input: Buffer.from('x') });
  assert.equal(pages, `${HEADER}\n0,input,1,0,0,0,0,0,\n1,output,0,0,0,1,2,2,1.00\n`);
  assert.equal(output.bytes.toString(), 'AB');
  assert.deepEqual([counts.instructions, counts.returns, counts.memory_reads], [5n, 1n, 0]);
  assert.equal(needed, 5n + 5n + 2n + 5n + 2n + 7n); // render, input_ptr, two capacities, output_ptr, commit
  assert.throws(() => measure(text('0xc000000000000001'), { input: Buffer.from('x') }), { kind: 'rejected', offset: 1 });
});

test('V1: globals or functions, items of four bytes, zero is empty', () => {
  const text = (size) => assemble(`(module
    (memory (export "memory") 2 2)
    (global (export "input_ptr") i32 (i32.const 0))
    (func (export "input_utf8_cap") (result i32) i32.const 100)
    (global (export "output_ptr") (mut i32) (i32.const 65536))
    (func (export "output_i32_cap") (result i32) i32.const 10)
    (func (export "run") (param i32) (result i32) i32.const 65536 i32.const 5 i32.store i32.const ${size}))`);
  const { pages, output } = measure(text(2), { input: Buffer.from('x') });
  assert.equal(pages, `${HEADER}\n0,input,1,0,0,0,0,0,\n1,output,0,0,0,1,4,4,1.00\n`);
  assert.equal(output.bytes.toString('hex'), '0500000000000000');
  assert.equal(measure(text(0), {}).pages, `${HEADER}\n1,other,0,0,0,1,4,4,1.00\n`);
  assert.throws(() => measure(text(11), {}), { kind: 'contract' });
});
