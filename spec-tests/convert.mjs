// Converts a folder of official suite scripts (.wast) to what `wasmeter spec`
// reads: one .json file of commands a script, in wasm-tools' json-from-wast
// dialect, and its modules as .wasm (or .wat for text that must not parse). The
// folder tree is mirrored. The text of a single module is assembled by the
// pinned wasm-tools build (assembler.mjs); everything around it is done here and in
// lexer.mjs, literals.mjs and commands.mjs.
//
//   node convert.mjs [--optional FOLDER]... [--stamp FILE] [--depfile FILE] SUITE_DIR OUT_DIR
//
// A script that cannot be converted is an error, unless it lies under an
// --optional folder of the suite: then it is reported and left out. --stamp
// writes the closing line to FILE too, and --depfile a make rule by which FILE
// depends on every script, for a build that converts again when one changed.

import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assemble } from './assembler.mjs';
import { convertCommand, isCommand } from './commands.mjs';
import { ScriptError, assemblerText, readScript } from './lexer.mjs';

// Written last, so its presence says that the folder is complete and ours.
export const SUMMARY = 'converted.txt';

// The files of one script, numbered in order of appearance.
class ModuleFiles {
  constructor(stem, buffer) {
    this.stem = stem;
    this.buffer = buffer;
    this.written = [];
    this.count = 0;
  }

  async add(source, { malformed = false }) {
    const base = `${this.stem}.${this.count++}`;
    if (source.form === 'binary') return this.put(`${base}.wasm`, source.bytes, 'binary');
    if (source.form === 'quote') {
      const fields = this.put(`${base}.wat`, source.bytes, 'text');
      if (malformed) return fields;
      const binary = await assembleModule(assemblerText(source.bytes, 0, source.bytes.length), source);
      this.put(`${base}.wasm`, binary, 'binary');
      return { ...fields, binary_filename: `${base}.wasm` };
    }
    if (source.form !== 'text') throw new ScriptError('expected a module', source.line);
    const bytes = await assembleModule(this.text(source), source);
    return this.put(`${base}.wasm`, bytes, 'binary');
  }

  // The assembler knows no `definition`: it is blanked.
  text({ node, definition }) {
    const text = assemblerText(this.buffer, node.start, node.end);
    return definition ? text.replace(/^(\(module\s+)definition/, '$1') : text;
  }

  put(filename, bytes, moduleType) {
    this.written.push({ filename, bytes });
    return { filename, module_type: moduleType };
  }
}

async function assembleModule(text, source) {
  try {
    return await assemble(text);
  } catch (error) {
    throw new ScriptError(error.message, source.line + error.line - 1);
  }
}

export async function convertScript(buffer, name) {
  const stem = basename(name, '.wast');
  const files = new ModuleFiles(stem, buffer);
  const nodes = readScript(buffer);
  const commands = [];
  if (nodes.length > 0 && !isCommand(nodes[0])) {
    const inline = { node: { start: 0, end: buffer.length }, form: 'text', line: nodes[0].line };
    commands.push({ type: 'module', line: inline.line, ...(await files.add(inline, {})) });
  } else {
    for (const node of nodes) commands.push(await convertCommand(node, files));
  }
  return { json: writeJson(basename(name), commands), files: files.written, commands };
}

// One command a line, so that a diff of two conversions reads well.
function writeJson(source, commands) {
  const lines = commands.map((command) => ' ' + JSON.stringify(command));
  return `{"source_filename":${JSON.stringify(source)},"commands":[\n${lines.join(',\n')}\n]}\n`;
}

// All scripts below a folder, as sorted paths relative to it.
export function findScripts(directory, prefix = '') {
  const entries = readdirSync(join(directory, prefix), { withFileTypes: true });
  return entries
    .flatMap((entry) => {
      const path = prefix + entry.name;
      if (entry.isDirectory()) return findScripts(directory, path + '/');
      return path.endsWith('.wast') ? [path] : [];
    })
    .sort((a, b) => (a < b ? -1 : 1));
}

function prepareOutput(directory) {
  if (existsSync(directory) && readdirSync(directory).length > 0) {
    if (!existsSync(join(directory, SUMMARY))) {
      throw new Error(`${directory} is not empty and was not written by this converter`);
    }
    rmSync(directory, { recursive: true });
  }
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, SUMMARY), 'incomplete\n');
}

export async function convertSuite(suite, output, { optional = [] } = {}) {
  const scripts = findScripts(suite);
  if (scripts.length === 0) throw new Error(`${suite}: no .wast files`);
  prepareOutput(output);
  const failures = [];
  let [commands, modules] = [0, 0];
  for (const name of scripts) {
    try {
      const converted = await convertScript(readFileSync(join(suite, name)), name);
      const folder = join(output, dirname(name));
      mkdirSync(folder, { recursive: true });
      for (const file of converted.files) writeFileSync(join(folder, file.filename), file.bytes);
      writeFileSync(join(folder, basename(name, '.wast') + '.json'), converted.json);
      commands += converted.commands.length;
      modules += converted.files.length;
    } catch (error) {
      const required = !optional.some((folder) => name.startsWith(folder + '/'));
      failures.push({ name, message: error.message, required });
    }
  }
  const summary =
    `${scripts.length - failures.length} scripts of ${scripts.length} converted: ` +
    `${commands} commands, ${modules} module files`;
  const broken = failures.some(({ required }) => required);
  if (!broken) writeFileSync(join(output, SUMMARY), summary + '\n');
  return { scripts, failures, summary, broken };
}

function writeDepfile(file, target, suite, scripts) {
  const escape = (path) => path.replaceAll('\\', '\\\\').replaceAll(' ', '\\ ').replaceAll('$', '$$$$');
  const sources = scripts.map((name) => escape(join(suite, name)));
  writeFileSync(file, `${escape(target)}: ${sources.join(' \\\n  ')}\n`);
}

function parseArguments(args) {
  const options = { optional: [], positional: [] };
  for (let i = 0; i < args.length; i++) {
    if (args[i] === '--optional') options.optional.push(args[++i].replace(/\/$/, ''));
    else if (args[i] === '--stamp') options.stamp = args[++i];
    else if (args[i] === '--depfile') options.depfile = args[++i];
    else if (args[i].startsWith('-')) throw new Error(`unknown option ${args[i]}`);
    else options.positional.push(args[i]);
  }
  if (options.positional.length !== 2) {
    throw new Error(
      'usage: convert.mjs [--optional FOLDER]... [--stamp FILE] [--depfile FILE] SUITE_DIR OUT_DIR');
  }
  return options;
}

async function main(args) {
  const options = parseArguments(args);
  const [suite, output] = options.positional;
  const { scripts, failures, summary, broken } = await convertSuite(suite, output, options);
  for (const { name, message, required } of failures) {
    console.error(`${required ? 'error' : 'left out'}: ${name}: ${message}`);
  }
  console.log(summary);
  if (broken) return 1;
  if (options.stamp) writeFileSync(options.stamp, summary + '\n');
  if (options.depfile) writeDepfile(options.depfile, options.stamp ?? join(output, SUMMARY), suite, scripts);
  return 0;
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    console.error(`convert: ${error.message}`);
    process.exitCode = 1;
  }
}
