// Test modules: components written as WAT, assembled by wabt.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function assemble(text) {
  const folder = mkdtempSync(join(tmpdir(), 'wasmeter-wat-'));
  try {
    writeFileSync(join(folder, 'in.wat'), text);
    execFileSync('wat2wasm', ['--enable-all', join(folder, 'in.wat'), '-o', join(folder, 'out.wasm')], { stdio: ['ignore', 'ignore', 'pipe'] });
    return readFileSync(join(folder, 'out.wasm'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const getter = (name, value) => `(func (export "${name}") (result i32) i32.const ${value})\n`;

// A V3 generator of four pages whose render runs `body` and returns an empty
// output at address 0; fields go before it, in the module.
export function generator(body, { fields = '', result = 'i64.const 0', locals = '' } = {}) {
  return assemble(`(module
    (memory (export "memory") 4 4)
    ${getter('output_bytes_cap', 65536)}${fields}
    (func (export "render") (param i32) (result i64) ${locals}
      ${body}
      ${result}))`);
}

// A V3 component with 100 bytes of input at 131000, across the end of page 1.
export function withInput(body, { fields = '', result = 'i64.const 0', encoding = 'bytes' } = {}) {
  return generator(body, {
    fields: getter('input_ptr', 131000) + getter(`input_${encoding}_cap`, 100) + fields,
    result,
  });
}

// The packed result of a success.
export const success = (pointer, size) => `i64.const ${(BigInt(pointer) << 32n) | BigInt(size)}`;
