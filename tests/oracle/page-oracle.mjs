// The page report of a component, computed without wasmeter: the module is
// rewritten in its text form so that every access reports to JavaScript, and run
// under V8.
//
//   node page-oracle.mjs COMPONENT.wasm [-i FILE] [-u key=value]... [--counts]
//
// --counts prints memory_reads, memory_writes, bytes_read, bytes_written and
// output_bytes instead. A rejection, a trap or a broken contract gives no report,
// one line on stderr and the exit status that wasmeter would have.

import { csvOf, measure } from './measure.mjs';
import { runOracle } from './oracle-cli.mjs';

const MEMORY_COUNTS = ['memory_reads', 'memory_writes', 'bytes_read', 'bytes_written', 'output_bytes'];

process.exitCode = runOracle('page-oracle', process.argv.slice(2), ['--counts'], ({ bytes, input, uniforms, flags }) => {
  const { pages, counts } = measure(bytes, { input, uniforms });
  if (!flags.has('--counts')) return pages;
  return csvOf(Object.fromEntries(MEMORY_COUNTS.map((metric) => [metric, counts[metric]])));
});
