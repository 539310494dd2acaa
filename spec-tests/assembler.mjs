// Text modules to binary with wasm-tools' assembler, in the build of it that the
// pinned npm package carries. It knows all of WebAssembly 3.0, which wabt does not.

import * as wasmTools from '@bytecodealliance/jco-transpile/wasm-tools';

// Throws an Error with `line`, counted from 1 in `text`, and the assembler's reason.
export async function assemble(text) {
  try {
    return Buffer.from(await wasmTools.parse(text));
  } catch (error) {
    throw refusal(String(error?.message ?? error));
  }
}

// The assembler's errors are debug prints: line (from 0) and reason are picked out.
function refusal(message) {
  const reason = /kind: (?!Wast)(?:Custom\("(.*)"\)|(.*?)) \} \}\) \}$/s.exec(message);
  const at = /line: (\d+), col: \d+, snippet/.exec(message);
  const error = new Error(`the assembler refuses this module: ${reason?.[1] ?? reason?.[2] ?? message}`);
  return Object.assign(error, { line: Number(at?.[1] ?? 0) + 1 });
}

// The text of a binary module, as wasm-tools prints it.
export const print = (bytes) => wasmTools.print(bytes);
