// Uniform keys and values as the component contract has them: i32 is unsigned
// decimal or 0x hexadecimal, i64 signed decimal or a hexadecimal bit pattern,
// floats are decimal, hexadecimal, inf or nan, rounded once to the width of the
// setter's parameter, overflow to infinity. Values are returned as WebAssembly's
// JavaScript interface takes them.

import { float } from '../../spec-tests/literals.mjs';
import { RunError } from './component-host.mjs';

const KEY = /^[a-z](?:_?[a-z0-9])*$/;

// Bytewise order; keys are ASCII.
export function applyOrder(uniforms) {
  return Object.keys(uniforms).sort((a, b) => (a < b ? -1 : 1));
}

export function uniformValue(setter, key, text) {
  const type = setter?.params[0];
  if (!setter || !KEY.test(key) || key.length > 63) throw new RunError('input', `unknown uniform ${key}`);
  if (String(setter.params) !== type || String(setter.results) !== type) {
    throw new RunError('contract', `uniform_set_${key} has the wrong type`);
  }
  const value = { i32: parseI32, i64: parseI64, f32: parseF32, f64: parseF64 }[type]?.(text);
  if (value === undefined) throw new RunError('input', `uniform ${key}: not an ${type}: ${text}`);
  return value;
}

const within = (value, low, high) => (value >= low && value <= high ? value : undefined);

function parseI32(text) {
  if (!/^([0-9]+|0[xX][0-9a-fA-F]+)$/.test(text)) return undefined;
  const value = within(BigInt(text), 0n, 0xffffffffn);
  return value === undefined ? undefined : Number(value) | 0;
}

function parseI64(text) {
  if (/^0[xX][0-9a-fA-F]+$/.test(text)) return within(BigInt(text), 0n, (1n << 64n) - 1n);
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  return within(BigInt(text.replace('+', '')), -(1n << 63n), (1n << 63n) - 1n);
}

function bits(text, width) {
  try {
    return BigInt(float(text.toLowerCase(), width));
  } catch (error) {
    if (!/out of range/.test(error.message)) return undefined;
    const infinity = width === 32 ? 0x7f800000n : 0x7ff0000000000000n;
    return text[0] === '-' ? infinity | (1n << BigInt(width - 1)) : infinity;
  }
}

const view = new DataView(new ArrayBuffer(8));

function parseF32(text) {
  const pattern = /_|nan:/.test(text) ? undefined : bits(text, 32);
  if (pattern === undefined) return undefined;
  view.setUint32(0, Number(pattern));
  return view.getFloat32(0);
}

function parseF64(text) {
  const pattern = /_|nan:/.test(text) ? undefined : bits(text, 64);
  if (pattern === undefined) return undefined;
  view.setBigUint64(0, pattern);
  return view.getFloat64(0);
}
