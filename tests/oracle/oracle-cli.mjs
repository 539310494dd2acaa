// The command line that the programs here share: COMPONENT.wasm, -i FILE or any
// number of -F parts (a multipart request), -u key=value. Results go to stdout; every failure is one line on stderr and wasmeter's status.

import { readFileSync } from 'node:fs';
import { RunError } from './component-host.mjs';
import { multipart, partOf } from './multipart.mjs';

const USAGE = 64;

export function parseArguments(args, flags = []) {
  const options = { uniforms: {}, parts: [], flags: new Set() };
  for (let i = 0; i < args.length; i++) {
    const arg = args[i];
    if (arg === '-i' && i + 1 < args.length) options.input = args[++i];
    else if (arg === '-u' && i + 1 < args.length) addUniform(options.uniforms, args[++i]);
    else if (arg === '-F' && i + 1 < args.length) options.parts.push(args[++i]);
    else if (flags.includes(arg)) options.flags.add(arg);
    else if (arg.startsWith('-') || options.component) throw new UsageError(`what is ${arg}?`);
    else options.component = arg;
  }
  if (options.parts.length > 0 && options.input !== undefined) throw new UsageError('-i and -F exclude each other');
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

function readInput({ input, parts }) {
  if (parts.length > 0) return multipart(parts.map(partOf));
  return input === undefined ? undefined : readFileSync(input === '-' ? 0 : input);
}

// Runs report({ bytes, input, uniforms, flags }), which returns what to print.
export function runOracle(name, args, flags, report) {
  try {
    const options = parseArguments(args, flags);
    const input = readInput(options);
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
