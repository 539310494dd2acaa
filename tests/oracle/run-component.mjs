// Runs a component under V8, not rewritten, and writes its output: the reference
// for components that interpret others.
//
//   node run-component.mjs COMPONENT.wasm [-i FILE | -F name=value|@FILE]... [-u key=value]...
//
// Failures as in page-oracle.mjs.

import { Component } from './component-host.mjs';
import { runOracle } from './oracle-cli.mjs';

process.exitCode = runOracle('run-component', process.argv.slice(2), [], ({ bytes, input, uniforms }) =>
  new Component(bytes).render(input, uniforms).bytes);
