// Calls one export of an import-free module under Node.js: node node_run.mjs MODULE EXPORT N. Prints the i32 result,
// unsigned. Everything is synchronous: compilation, instantiation, one call.
import { readFileSync } from "node:fs";

const [path, name, n] = process.argv.slice(2);
const instance = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(path)));
process.stdout.write(`${instance.exports[name](Number(n)) >>> 0}\n`);
