// Number literals of the text format (WebAssembly 3.0, section 6.3.1) to exact
// bit patterns. Floats are rounded once, half to even, directly to the width
// asked for, with big integers: going through a JavaScript number would round
// f32 twice. Owns nothing; every function returns strings or BigInts.

import { ScriptError } from './lexer.mjs';

const FLOAT = {
  32: { precision: 24, exponentMin: -149, infinity: 0x7f800000n },
  64: { precision: 53, exponentMin: -1074, infinity: 0x7ff0000000000000n },
};

// A literal of iN, as a signed decimal string.
export function integer(text, bits) {
  const match = /^([+-]?)(0x[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*|[0-9]+(?:_[0-9]+)*)$/.exec(text);
  if (!match) throw new ScriptError(`not an integer: ${text}`);
  const magnitude = BigInt(match[2].replaceAll('_', ''));
  const value = match[1] === '-' ? -magnitude : magnitude;
  const half = 1n << BigInt(bits - 1);
  if (value < -half || value >= 2n * half) throw new ScriptError(`out of range for i${bits}: ${text}`);
  return BigInt.asIntN(bits, value).toString();
}

// A literal of fN, as its bit pattern in unsigned decimal. With `patterns`,
// nan:canonical and nan:arithmetic are allowed and passed through.
export function float(text, bits, patterns = false) {
  if (patterns && (text === 'nan:canonical' || text === 'nan:arithmetic')) return text;
  const [, sign, body] = /^([+-]?)(.*)$/.exec(text);
  const pattern = magnitude(body, bits);
  if (pattern === null) throw new ScriptError(`not an f${bits}: ${text}`);
  return (sign === '-' ? pattern | (1n << BigInt(bits - 1)) : pattern).toString();
}

function magnitude(body, bits) {
  const { precision, infinity } = FLOAT[bits];
  if (body === 'inf') return infinity;
  if (body === 'nan') return infinity | (1n << BigInt(precision - 2));
  const payload = /^nan:(0x[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*)$/.exec(body);
  if (payload) {
    const value = BigInt(payload[1].replaceAll('_', ''));
    if (value === 0n || value >= 1n << BigInt(precision - 1)) {
      throw new ScriptError(`NaN payload out of range: ${body}`);
    }
    return infinity | value;
  }
  const rational = decimalRational(body) ?? hexRational(body);
  return rational && round(rational, body, bits);
}

const DIGITS = '[0-9]+(?:_[0-9]+)*';
const HEX_DIGITS = '[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*';
const DECIMAL = new RegExp(`^(${DIGITS})(?:\\.(${DIGITS})?)?(?:[eE]([+-]?${DIGITS}))?$`);
const HEX = new RegExp(`^0x(${HEX_DIGITS})(?:\\.(${HEX_DIGITS})?)?(?:[pP]([+-]?${DIGITS}))?$`);
const plain = (digits) => (digits ?? '').replaceAll('_', '');

// Beyond this many powers the result is zero or overflow for every literal
// whose digits are fewer; it keeps 1e-999999999 from building a huge integer.
const EXPONENT_BOUND = 20000;

function boundedExponent(text, digitCount) {
  const value = Number(plain(text ?? '0'));
  const bound = EXPONENT_BOUND + 8 * digitCount;
  return Math.max(-bound, Math.min(bound, value));
}

function decimalRational(body) {
  const match = DECIMAL.exec(body);
  if (!match) return null;
  const [whole, fraction] = [plain(match[1]), plain(match[2])];
  const exponent = boundedExponent(match[3], whole.length + fraction.length) - fraction.length;
  const digits = BigInt(whole + fraction);
  return exponent >= 0
    ? { numerator: digits * 10n ** BigInt(exponent), denominator: 1n }
    : { numerator: digits, denominator: 10n ** BigInt(-exponent) };
}

function hexRational(body) {
  const match = HEX.exec(body);
  if (!match) return null;
  const [whole, fraction] = [plain(match[1]), plain(match[2])];
  const exponent = boundedExponent(match[3], whole.length + fraction.length) - 4 * fraction.length;
  const digits = BigInt('0x' + whole + fraction);
  return exponent >= 0
    ? { numerator: digits << BigInt(exponent), denominator: 1n }
    : { numerator: digits, denominator: 1n << BigInt(-exponent) };
}

const bitLength = (value) => value.toString(2).length;

// Rounds to a significand q and exponent e with value = q * 2^e, e at least the
// smallest subnormal's. Adding q to the shifted exponent carries the implicit
// bit, and a significand rounded up to 2^precision, into the exponent field.
function round({ numerator, denominator }, body, bits) {
  const { precision, exponentMin, infinity } = FLOAT[bits];
  if (numerator === 0n) return 0n;
  let exponent = bitLength(numerator) - bitLength(denominator) - precision;
  if (significand(numerator, denominator, exponent).quotient >= 1n << BigInt(precision)) exponent++;
  exponent = Math.max(exponent, exponentMin);
  const { quotient, remainder, divisor } = significand(numerator, denominator, exponent);
  const twice = 2n * remainder;
  const up = twice > divisor || (twice === divisor && (quotient & 1n) === 1n);
  const pattern =
    (BigInt(exponent - exponentMin) << BigInt(precision - 1)) + quotient + (up ? 1n : 0n);
  if (pattern >= infinity) throw new ScriptError(`out of range for f${bits}: ${body}`);
  return pattern;
}

function significand(numerator, denominator, exponent) {
  const dividend = exponent < 0 ? numerator << BigInt(-exponent) : numerator;
  const divisor = exponent > 0 ? denominator << BigInt(exponent) : denominator;
  return { quotient: dividend / divisor, remainder: dividend % divisor, divisor };
}
