// The command line that both oracles share: COMPONENT.wasm [-i FILE] [-u key=value]...
// Results go to stdout; every failure is one line on stderr and wasmeter's status.

import { readFileSync } from 'node:fs';
import { RunError } from './component-host.mjs';

const USAGE = 64;

export function parseArguments(args, flags = []) {
  const options = { uniforms: {}, flags: new Set() };
  for (let i = 0; i < args.length; i++) {
    const arg = args[i];
    if (arg === '-i' && i + 1 < args.length) options.input = args[++i];
    else if (arg === '-u' && i + 1 < args.length) addUniform(options.uniforms, args[++i]);
    else if (flags.includes(arg)) options.flags.add(arg);
    else if (arg.startsWith('-') || options.component) throw new UsageError(`what is ${arg}?`);
    else options.component = arg;
  }
  if (!options.component) throw new UsageError('no component given');
  return options;
}

class UsageError extends Error {}

function addUniform(uniforms, text) {
  const [key, ...rest] = text.split('=');
  if (rest.length === 0) throw new UsageError(`-u takes key=value, not ${text}`);
  if (Object.hasOwn(uniforms, key)) throw new UsageError(`uniform ${key} is given twice`);
  uniforms[key] = rest.join('=');
}

// Runs report({ bytes, input, uniforms, flags }), which returns the text to print.
export function runOracle(name, args, flags, report) {
  try {
    const options = parseArguments(args, flags);
    const input = options.input === undefined ? undefined : readFileSync(options.input === '-' ? 0 : options.input);
    process.stdout.write(report({ ...options, bytes: readFileSync(options.component), input }));
    return 0;
  } catch (error) {
    console.error(`${name}: ${error.message}`);
    if (error instanceof UsageError) return USAGE;
    if (error instanceof RunError) return error.status;
    if (error.code === 'ENOENT') return 66;
    console.error(error.stack);
    return 70;
  }
}
