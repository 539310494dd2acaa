// node assemble.mjs IN.wat OUT.wasm: one text module of WebAssembly 3.0 to binary, with the assembler that the suite's converter uses
// (wabt does not know garbage collection, typed references or exnref).
import { readFileSync, writeFileSync } from 'node:fs';
import { assemble } from '../../spec-tests/assembler.mjs';

const [input, output] = process.argv.slice(2);
try {
  writeFileSync(output, await assemble(readFileSync(input, 'utf8')));
} catch (error) {
  console.error(`${input}:${error.line}: ${error.message}`);
  process.exit(1);
}
