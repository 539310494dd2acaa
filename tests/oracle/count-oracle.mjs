// The exact totals of a component's run, computed without wasmeter: the module is
// rewritten in its text form so that it counts its own instructions, branches and
// calls, and run under V8.
//
//   node count-oracle.mjs COMPONENT.wasm [-i FILE] [-u key=value]...
//
// Prints `metric,value` rows in the order of `wasmeter counts`. Failures as in
// page-oracle.mjs.

import { csvOf, measure } from './measure.mjs';
import { runOracle } from './oracle-cli.mjs';

process.exitCode = runOracle('count-oracle', process.argv.slice(2), [], ({ bytes, input, uniforms }) =>
  csvOf(measure(bytes, { input, uniforms }).counts));
