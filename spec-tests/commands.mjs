// One script command (its S-expression) to one JSON command in the dialect of
// wasm-tools' json-from-wast: README.md lists what that means. Modules are
// handed to `files`, which assembles and names them (see convert.mjs). Anything
// not understood is an error; nothing is dropped.

import { ScriptError } from './lexer.mjs';
import { float, integer } from './literals.mjs';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

// Only these can open a command; a script that opens otherwise is the body of
// one module without its parentheses (inline-module.wast).
const ACTIONS = new Set(['invoke', 'get']);

export function isCommand(node) {
  const name = head(node);
  return name === 'module' || ACTIONS.has(name) || Object.hasOwn(COMMANDS, name);
}

export async function convertCommand(node, files) {
  const name = head(node);
  try {
    if (name === 'module') return await moduleCommand(node, files);
    if (ACTIONS.has(name)) return { type: 'action', line: node.line, action: action(node) };
    if (Object.hasOwn(COMMANDS, name)) return await COMMANDS[name](node, node.items.slice(1), files);
  } catch (error) {
    if (error instanceof ScriptError && !error.line) throw new ScriptError(error.message, node.line);
    throw error;
  }
  throw new ScriptError(`unknown command: ${name ?? 'not a list'}`, node.line);
}

const COMMANDS = {
  register: (node, [as, name]) => ({
    type: 'register',
    line: node.line,
    ...(name && { name: identifier(name) }),
    as: string(as),
  }),
  assert_return: (node, [act, ...expected]) => ({
    type: 'assert_return',
    line: node.line,
    action: action(act),
    expected: expected.map(result),
  }),
  assert_trap: async (node, [act, text], files) =>
    head(act) === 'module'
      ? {
          type: 'assert_uninstantiable',
          line: node.line,
          ...(await files.add(moduleSource(act), {})),
          text: string(text),
        }
      : { type: 'assert_trap', line: node.line, action: action(act), text: string(text) },
  assert_exhaustion: (node, [act, text]) => ({
    type: 'assert_exhaustion',
    line: node.line,
    action: action(act),
    text: string(text),
  }),
  assert_exception: (node, [act]) => ({
    type: 'assert_exception',
    line: node.line,
    action: action(act),
  }),
  assert_invalid: moduleAssertion('assert_invalid', {}),
  assert_invalid_custom: moduleAssertion('assert_invalid_custom', {}),
  assert_unlinkable: moduleAssertion('assert_unlinkable', {}),
  assert_malformed: moduleAssertion('assert_malformed', { malformed: true }),
  assert_malformed_custom: moduleAssertion('assert_malformed_custom', { malformed: true }),
};

function moduleAssertion(type, options) {
  return async (node, [module, text], files) => ({
    type,
    line: node.line,
    ...(await files.add(moduleSource(module), options)),
    text: string(text),
  });
}

async function moduleCommand(node, files) {
  const source = moduleSource(node);
  const name = source.name === undefined ? {} : { name: source.name };
  if (source.form === 'instance') {
    const [instance, module] = source.rest;
    return {
      type: 'module_instance',
      line: node.line,
      ...(instance && { instance: identifier(instance) }),
      ...(module && { module: identifier(module) }),
    };
  }
  const type = source.definition ? 'module_definition' : 'module';
  return { type, line: node.line, ...name, ...(await files.add(source, {})) };
}

// What a (module …) form holds. `form` is text, binary, quote or instance;
// `bytes` is the content of the strings of a binary or quoted one.
function moduleSource(node) {
  if (head(node) !== 'module') throw new ScriptError('expected a module');
  let rest = node.items.slice(1);
  if (atomText(rest[0]) === 'instance') return { form: 'instance', rest: rest.slice(1) };
  const definition = atomText(rest[0]) === 'definition';
  if (definition) rest = rest.slice(1);
  const name = rest[0]?.kind === 'id' ? rest[0].text : undefined;
  if (name !== undefined) rest = rest.slice(1);
  const form = atomText(rest[0]);
  const source = { node, definition, name, line: node.line };
  if (form === 'binary' || form === 'quote') {
    const pieces = rest.slice(1).map((item) => {
      if (item.kind !== 'string') throw new ScriptError('expected a string', item.line);
      return item.bytes;
    });
    // A quoted module's strings are separate tokens of text.
    const joined = form === 'quote' ? pieces.flatMap((p) => [p, Buffer.from('\n')]) : pieces;
    return { ...source, form, bytes: Buffer.concat(joined) };
  }
  return { ...source, form: 'text' };
}

function action(node) {
  const name = head(node);
  if (!ACTIONS.has(name)) throw new ScriptError('expected (invoke …) or (get …)');
  let rest = node.items.slice(1);
  const module = rest[0]?.kind === 'id' ? { module: rest[0].text } : {};
  if (rest[0]?.kind === 'id') rest = rest.slice(1);
  const field = string(rest[0]);
  if (name === 'get') {
    if (rest.length !== 1) throw new ScriptError('(get …) takes no arguments');
    return { type: 'get', ...module, field };
  }
  return { type: 'invoke', ...module, field, args: rest.slice(1).map(argument) };
}

const argument = (node) => constant(node, false);
const result = (node) => constant(node, true);

const NUMBERS = { 'i32.const': 32, 'i64.const': 64, 'f32.const': 32, 'f64.const': 64 };

// A null of each heap type that the dialect can name.
const NULLS = {
  func: { type: 'funcref', value: 'null' },
  extern: { type: 'externref', value: 'null' },
  any: { type: 'anyref', value: 'null' },
  exn: { type: 'exnref', value: 'null' },
  none: { type: 'nullref' },
  nofunc: { type: 'nullfuncref' },
  noextern: { type: 'nullexternref' },
  noexn: { type: 'nullexnref' },
};

// Patterns for a non-null reference, and the numbered host references.
const REFERENCES = {
  'ref.func': { type: 'funcref' },
  'ref.extern': { type: 'externref', numbered: true },
  'ref.host': { type: 'anyref', numbered: true, onlyNumbered: true },
  'ref.any': { type: 'anyref' },
  'ref.eq': { type: 'eqref' },
  'ref.i31': { type: 'i31ref' },
  'ref.struct': { type: 'structref' },
  'ref.array': { type: 'arrayref' },
  'ref.exn': { type: 'exnref' },
};

function constant(node, isResult) {
  const name = head(node);
  const rest = node?.items?.slice(1) ?? [];
  if (Object.hasOwn(NUMBERS, name)) {
    if (rest.length !== 1) throw new ScriptError(`${name} takes one literal`, node.line);
    return { type: name.slice(0, 3), value: scalar(name.slice(0, 3), rest[0], isResult) };
  }
  if (name === 'v128.const') return vector(node, rest, isResult);
  if (name === 'either' && isResult) return { type: 'either', values: rest.map(result) };
  if (name === 'ref.null') return nullReference(rest, isResult);
  if (Object.hasOwn(REFERENCES, name)) return reference(REFERENCES[name], name, rest, isResult);
  throw new ScriptError(`unknown ${isResult ? 'result' : 'argument'}: ${name}`, node?.line);
}

function scalar(type, node, isResult) {
  const text = atomText(node);
  if (text === undefined) throw new ScriptError('expected a literal', node?.line);
  const bits = Number(type.slice(1));
  return type[0] === 'i' ? integer(text, bits) : float(text, bits, isResult);
}

const SHAPES = { i8x16: 16, i16x8: 8, i32x4: 4, i64x2: 2, f32x4: 4, f64x2: 2 };

function vector(node, [shape, ...lanes], isResult) {
  const name = atomText(shape);
  if (SHAPES[name] !== lanes.length) throw new ScriptError('malformed v128.const', node.line);
  const laneType = name.split('x')[0];
  return {
    type: 'v128',
    lane_type: laneType,
    value: lanes.map((lane) => scalar(laneType, lane, isResult)),
  };
}

function nullReference(rest, isResult) {
  if (rest.length === 0 && isResult) return { type: 'refnull' };
  const heap = atomText(rest[0]);
  if (rest.length === 1 && Object.hasOwn(NULLS, heap)) return { ...NULLS[heap] };
  throw new ScriptError(`the dialect has no null of this type: ${heap}`);
}

function reference({ type, numbered, onlyNumbered }, name, rest, isResult) {
  if (rest.length === 0 && isResult && !onlyNumbered) return { type };
  if (rest.length === 1 && numbered) {
    return { type, value: BigInt.asUintN(32, BigInt(integer(atomText(rest[0]), 32))).toString() };
  }
  throw new ScriptError(`malformed ${name}`);
}

function head(node) {
  return node?.kind === 'list' ? atomText(node.items[0]) : undefined;
}

function atomText(node) {
  return node?.kind === 'atom' ? node.text : undefined;
}

function identifier(node) {
  if (node.kind !== 'id') throw new ScriptError('expected a $name', node.line);
  return node.text;
}

function string(node) {
  if (node?.kind !== 'string') throw new ScriptError('expected a string', node?.line);
  return utf8.decode(node.bytes);
}
