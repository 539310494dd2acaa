// Writes small WebAssembly modules byte by byte: components of contract V3 with as
// many types, functions, segments … as a test asks for. Only what the limits need.

export const I32 = 0x7f;
export const I64 = 0x7e;

export function uleb(value) {
  const bytes = [];
  do {
    const rest = Math.floor(value / 128);
    bytes.push((value % 128) | (rest > 0 ? 0x80 : 0));
    value = rest;
  } while (value > 0);
  return bytes;
}

export function sleb(value) {
  let rest = BigInt(value);
  const bytes = [];
  for (;;) {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    if ((rest === 0n && !(low & 0x40)) || (rest === -1n && low & 0x40)) return [...bytes, low];
    bytes.push(low | 0x80);
  }
}

const name = (text) => [...uleb(text.length), ...Buffer.from(text, 'latin1')];
const flatten = (lists) => Buffer.concat(lists.map((list) => Buffer.from(list)));
const vector = (items) => flatten([uleb(items.length), ...items]);

function section(id, contents) {
  return flatten([[id], uleb(contents.length), contents]);
}

export const i32const = (value) => [0x41, ...sleb(value | 0)];
export const i64const = (value) => [0x42, ...sleb(BigInt.asIntN(64, value))];

// locals: list of [count, type]; code without the last `end`.
export const body = (code, locals = []) => {
  const bytes = flatten([vector(locals.map(([count, type]) => [...uleb(count), type])), code, [0x0b]]);
  return flatten([uleb(bytes.length), bytes]);
};

// The word of an output at `address`.
export const outputWord = (address, length) => (BigInt(address) << 32n) | BigInt(length);

const GETTER_TYPE = 1;
export const EMPTY_TYPE = 2;

// A component that is a generator: render returns `word` after `code` ran. Everything
// else is added: types and functions ([type, body] pairs), and counted lists.
//   memory: [min, max] pages     table: entries or undefined     globals, elements, datas: numbers
//   exports: extra names for the capacity getter                  pad: module size in bytes
export function component({
  code = [], locals = [], word = outputWord(0, 0), types = [], functions = [], memory = [1, 1], memories = 0, table, tables = 0, globals = 0,
  elements = 0, datas = 0, exports = 0, pad = 0, capacity = 65536,
} = {}) {
  const allTypes = [
    [0x60, 1, I32, 1, I64], [0x60, 0, 1, I32], [0x60, 0, 0],
    ...types.map(({ params = [], results = [] }) => [0x60, ...uleb(params.length), ...params, ...uleb(results.length), ...results]),
  ];
  const bodies = [[0, body([...code, ...i64const(word)], locals)], [GETTER_TYPE, body(i32const(capacity))], ...functions];
  const limits = ([min, max]) => [1, ...uleb(min), ...uleb(max)];
  const tableTypes = [...(table === undefined ? [] : [[0x70, ...limits([table, table])]]), ...Array(tables).fill([0x70, ...limits([0, 0])])];
  const exported = [
    [...name('memory'), 2, 0], [...name('render'), 0, 0], [...name('output_bytes_cap'), 0, 1],
    ...Array.from({ length: exports }, (_, i) => [...name(`e${i}`), 0, 1]),
  ];
  const sections = [
    [1, vector(allTypes)],
    [3, vector(bodies.map(([type]) => uleb(type)))],
    ...(tableTypes.length > 0 ? [[4, vector(tableTypes)]] : []),
    [5, vector([limits(memory), ...Array(memories).fill(limits([0, 0]))])],
    ...(globals > 0 ? [[6, vector(Array(globals).fill([I32, 0, ...i32const(7), 0x0b]))]] : []),
    [7, vector(exported)],
    ...(elements > 0 ? [[9, vector(Array(elements).fill([0, ...i32const(0), 0x0b, 1, 1]))]] : []),
    [10, vector(bodies.map(([, bytes]) => bytes))],
    ...(datas > 0 ? [[11, vector(Array(datas).fill([0, ...i32const(9), 0x0b, 1, 0x2a]))]] : []),
  ].map(([id, contents]) => section(id, contents));
  const module = flatten([[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0], ...sections]);
  return pad > 0 ? Buffer.concat([module, filler(pad - module.length)]) : module;
}

// A custom section of exactly that many bytes (some hundred at least).
function filler(bytes) {
  for (let length = bytes; length > 0; length--) {
    const custom = section(0, flatten([name('fill'), new Uint8Array(length)]));
    if (custom.length === bytes) return custom;
  }
  throw new Error(`no custom section has ${bytes} bytes`);
}
