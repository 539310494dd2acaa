// Literals against patterns worked out by hand and, for f64, against the
// engine's own correctly rounded decimal parser.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { float, integer } from '../literals.mjs';

const f32 = (text, patterns) => '0x' + BigInt(float(text, 32, patterns)).toString(16);
const f64 = (text, patterns) => '0x' + BigInt(float(text, 64, patterns)).toString(16);

test('integers are signed decimal, whatever their spelling', () => {
  const cases = [
    ['0', 8, '0'], ['255', 8, '-1'], ['-128', 8, '-128'], ['0x80', 8, '-128'],
    ['0xffff', 16, '-1'], ['+5', 16, '5'], ['4294967295', 32, '-1'], ['0x8000_0000', 32, '-2147483648'],
    ['1_000', 32, '1000'], ['0xffff_ffff_ffff_ffff', 64, '-1'], ['-0x8000000000000000', 64, '-9223372036854775808'],
  ];
  for (const [text, bits, wanted] of cases) assert.equal(integer(text, bits), wanted, text);
});

test('integers out of range or malformed are refused', () => {
  const cases = [
    ['256', 8], ['-129', 8], ['4294967296', 32], ['-2147483649', 32], ['0x1_0000_0000_0000_0000', 64],
    ['1__0', 32], ['_1', 32], ['1_', 32], ['0x', 32], ['', 32], ['1.0', 32], ['--1', 32],
  ];
  for (const [text, bits] of cases) assert.throws(() => integer(text, bits), text);
});

test('floats: exact patterns', () => {
  const cases = [
    ['0', '0x0', '0x0'], ['-0', '0x80000000', '0x8000000000000000'],
    ['1', '0x3f800000', '0x3ff0000000000000'], ['-2.5', '0xc0200000', '0xc004000000000000'],
    ['0.1', '0x3dcccccd', '0x3fb999999999999a'], ['1e1', '0x41200000', '0x4024000000000000'],
    ['666.6', '0x4426a666', '0x4084d4cccccccccd'], ['0x1p-1', '0x3f000000', '0x3fe0000000000000'],
    ['0x1.8', '0x3fc00000', '0x3ff8000000000000'], ['1.', '0x3f800000', '0x3ff0000000000000'],
    ['inf', '0x7f800000', '0x7ff0000000000000'], ['-inf', '0xff800000', '0xfff0000000000000'],
    ['nan', '0x7fc00000', '0x7ff8000000000000'], ['-nan', '0xffc00000', '0xfff8000000000000'],
    ['nan:0x1', '0x7f800001', '0x7ff0000000000001'], ['-nan:0x20_0000', '0xffa00000', '0xfff0000000200000'],
    ['1e-999999999', '0x0', '0x0'], ['0e999999999', '0x0', '0x0'], ['0x1p-999999999', '0x0', '0x0'],
    ['1_0.2_5', '0x41240000', '0x4024800000000000'], ['0xab_cdp0_1', '0x47abcd00', '0x40f579a000000000'],
  ];
  for (const [text, single, double] of cases) {
    assert.equal(f32(text), single, text);
    assert.equal(f64(text), double, text);
  }
});

test('rounding is half to even, once, at the width asked for', () => {
  const cases = [
    ['0x1.000001p0', '0x3f800000'], // tie, even below
    ['0x1.000003p0', '0x3f800002'], // tie, even above
    ['0x1.00000100000000001p0', '0x3f800001'], // just over the tie: through f64 it would be 0x3f800000
    ['16777217', '0x4b800000'],
    ['16777219', '0x4b800002'],
    ['16777217.0000000001', '0x4b800001'],
    ['0x1.fffffep127', '0x7f7fffff'],
    ['0x1.fffffefffffffp127', '0x7f7fffff'],
    ['0x1p-149', '0x1'], ['0x1p-150', '0x0'], ['0x1.000002p-150', '0x1'], ['0x1.8p-149', '0x2'],
    ['0x0.fffffep-126', '0x7fffff'], ['0x0.ffffffp-126', '0x800000'],
    ['1.17549435e-38', '0x800000'], ['1.4e-45', '0x1'],
  ];
  for (const [text, wanted] of cases) assert.equal(f32(text), wanted, text);
  assert.equal(f64('0x1.fffffffffffff8p-1'), '0x3ff0000000000000');
  assert.equal(f64('0x1p-1075'), '0x0');
  assert.equal(f64('0x1.0000000000001p-1075'), '0x1');
});

test('floats that overflow or are malformed are refused', () => {
  for (const text of ['0x1.ffffffp127', '340282356779733661637539395458142568448', '1e39', '0x1p128']) {
    assert.throws(() => float(text, 32), /out of range/, text);
  }
  assert.throws(() => float('1e309', 64), /out of range/);
  const malformed = ['nan:0x0', 'nan:0x800000', 'nan:1', 'infinity', '.5', '1e', '0x1p', '1__0', '0x.8', 'nan:canonical', ''];
  for (const text of malformed) assert.throws(() => float(text, 32), text);
});

test('NaN classes pass through where results are read', () => {
  assert.equal(float('nan:canonical', 32, true), 'nan:canonical');
  assert.equal(float('nan:arithmetic', 64, true), 'nan:arithmetic');
});

test('f64 decimals agree with the JavaScript engine', () => {
  let seed = 12345;
  const next = () => (seed = (seed * 1103515245 + 12345) % 2147483648);
  const view = new DataView(new ArrayBuffer(8));
  for (let i = 0; i < 3000; i++) {
    const digits = String(next()) + String(next()) + (i % 3 ? '' : String(next()));
    const text = `${digits[0]}.${digits.slice(1)}e${(next() % 640) - 330}`;
    view.setFloat64(0, Number(text));
    if (!Number.isFinite(Number(text))) continue;
    assert.equal(float(text, 64), view.getBigUint64(0).toString(), text);
  }
});
