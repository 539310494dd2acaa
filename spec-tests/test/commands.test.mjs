// Script syntax and the JSON dialect, on small scripts: what each command and
// value becomes, and that anything unknown is an error naming its line.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { convertScript } from '../convert.mjs';

async function convert(text) {
  const { json, files } = await convertScript(Buffer.from(text, 'latin1'), 'folder/case.wast');
  return { commands: JSON.parse(json).commands, files, source: JSON.parse(json).source_filename };
}

const returns = async (results, args = '') => {
  const { commands } = await convert(`(assert_return (invoke "f" ${args}) ${results})`);
  assert.equal(commands.length, 1);
  return commands[0];
};

test('modules: text, binary, quoted, named, definition and instance', async () => {
  const { commands, files, source } = await convert(`
    (module $A (func (export "f")))
    (module binary "\\00asm" "\\01\\00\\00\\00")
    (module quote "(memory" "1)")
    (module definition $"M 1" (memory 65536))
    (module instance $I $"M 1")
    (module instance)
    (register "host" $A) (register "last")`);
  assert.equal(source, 'case.wast');
  assert.deepEqual(commands, [
    { type: 'module', line: 2, name: 'A', filename: 'case.0.wasm', module_type: 'binary' },
    { type: 'module', line: 3, filename: 'case.1.wasm', module_type: 'binary' },
    { type: 'module', line: 4, filename: 'case.2.wat', module_type: 'text', binary_filename: 'case.2.wasm' },
    { type: 'module_definition', line: 5, name: 'M 1', filename: 'case.3.wasm', module_type: 'binary' },
    { type: 'module_instance', line: 6, instance: 'I', module: 'M 1' },
    { type: 'module_instance', line: 7 },
    { type: 'register', line: 8, name: 'A', as: 'host' },
    { type: 'register', line: 8, as: 'last' },
  ]);
  assert.deepEqual(files.map(({ filename }) => filename),
    ['case.0.wasm', 'case.1.wasm', 'case.2.wat', 'case.2.wasm', 'case.3.wasm']);
  assert.equal(files[1].bytes.toString('hex'), '0061736d01000000');
  assert.equal(files[2].bytes.toString(), '(memory\n1)\n');
  assert.equal(Buffer.from(files[3].bytes).toString('hex'), '0061736d010000000503010001');
});

test('assertions', async () => {
  const { commands } = await convert(`
    (assert_trap (invoke $A "f" (i32.const 1)) "unreachable")
    (assert_trap (module (func $f unreachable) (start $f)) "unreachable")
    (assert_exhaustion (invoke "f") "call stack exhausted")
    (assert_exception (invoke "f"))
    (assert_invalid (module (func (result i32))) "type mismatch")
    (assert_malformed (module quote "(func") "unexpected end")
    (assert_malformed (module binary "") "unexpected end")
    (assert_unlinkable (module (import "a" "b" (func))) "unknown import")
    (invoke "f") (get $A "g")`);
  assert.deepEqual(commands, [
    { type: 'assert_trap', line: 2, action: { type: 'invoke', module: 'A', field: 'f', args: [{ type: 'i32', value: '1' }] }, text: 'unreachable' },
    { type: 'assert_uninstantiable', line: 3, filename: 'case.0.wasm', module_type: 'binary', text: 'unreachable' },
    { type: 'assert_exhaustion', line: 4, action: { type: 'invoke', field: 'f', args: [] }, text: 'call stack exhausted' },
    { type: 'assert_exception', line: 5, action: { type: 'invoke', field: 'f', args: [] } },
    { type: 'assert_invalid', line: 6, filename: 'case.1.wasm', module_type: 'binary', text: 'type mismatch' },
    { type: 'assert_malformed', line: 7, filename: 'case.2.wat', module_type: 'text', text: 'unexpected end' },
    { type: 'assert_malformed', line: 8, filename: 'case.3.wasm', module_type: 'binary', text: 'unexpected end' },
    { type: 'assert_unlinkable', line: 9, filename: 'case.4.wasm', module_type: 'binary', text: 'unknown import' },
    { type: 'action', line: 10, action: { type: 'invoke', field: 'f', args: [] } },
    { type: 'action', line: 10, action: { type: 'get', module: 'A', field: 'g' } },
  ]);
});

test('values', async () => {
  const { action, expected } = await returns(
    `(i32.const 0xffffffff) (i64.const -1) (f32.const nan:canonical) (f64.const nan:arithmetic)
     (v128.const i8x16 255 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -1) (v128.const f32x4 1 nan nan:canonical -0)
     (either (i32.const 1) (i32.const 2)) (ref.null) (ref.null func) (ref.null extern) (ref.null any) (ref.null exn)
     (ref.null none) (ref.null nofunc) (ref.null noextern) (ref.null noexn)
     (ref.func) (ref.extern) (ref.extern 7) (ref.host 3) (ref.eq) (ref.i31) (ref.struct) (ref.array)`,
    '(f32.const 1) (ref.null extern) (ref.extern 2) (ref.host 4)');
  assert.deepEqual(action.args, [
    { type: 'f32', value: '1065353216' }, { type: 'externref', value: 'null' },
    { type: 'externref', value: '2' }, { type: 'anyref', value: '4' },
  ]);
  assert.deepEqual(expected, [
    { type: 'i32', value: '-1' }, { type: 'i64', value: '-1' },
    { type: 'f32', value: 'nan:canonical' }, { type: 'f64', value: 'nan:arithmetic' },
    { type: 'v128', lane_type: 'i8', value: ['-1', ...Array(14).fill('0'), '-1'] },
    { type: 'v128', lane_type: 'f32', value: ['1065353216', '2143289344', 'nan:canonical', '2147483648'] },
    { type: 'either', values: [{ type: 'i32', value: '1' }, { type: 'i32', value: '2' }] },
    { type: 'refnull' }, { type: 'funcref', value: 'null' }, { type: 'externref', value: 'null' },
    { type: 'anyref', value: 'null' }, { type: 'exnref', value: 'null' },
    { type: 'nullref' }, { type: 'nullfuncref' }, { type: 'nullexternref' }, { type: 'nullexnref' },
    { type: 'funcref' }, { type: 'externref' }, { type: 'externref', value: '7' }, { type: 'anyref', value: '3' },
    { type: 'eqref' }, { type: 'i31ref' }, { type: 'structref' }, { type: 'arrayref' },
  ]);
});

test('lexical corners', async () => {
  const { commands } = await convert(
    '(; a (; nested ;) \xff \n ;) ;; line \xfe \r(@note (x) "y)" ;)\n' +
    '(invoke $"\\u{4d}" "\\c3\\a9\\00\\t" (; ) ;) )\n' +
    '(module (@custom "x" "y") (func (export "\xe2\x80\xae")) ;; \xff\n (; \xff ;))');
  assert.deepEqual(commands[0].action, { type: 'invoke', module: 'M', field: 'é\0\t', args: [] });
  assert.equal(commands[0].line, 3);
  assert.equal(commands[1].type, 'module');
});

test('a script without commands is one module', async () => {
  const { commands, files } = await convert(';; inline\n(func) (memory 0)');
  assert.deepEqual(commands, [{ type: 'module', line: 2, filename: 'case.0.wasm', module_type: 'binary' }]);
  assert.equal(files.length, 1);
  assert.deepEqual((await convert(';; nothing')).commands, []);
});

test('what is not understood is an error with its line', async () => {
  const cases = [
    ['(module)\n(assert_wonder (invoke "f"))', /line 2: unknown command: assert_wonder/],
    ['\n(assert_return (invoke "f") (i31.const 1))', /line 2: unknown result: i31.const/],
    ['\n(assert_return (invoke "f") (ref.null struct))', /line 2: the dialect has no null/],
    ['(invoke "f" (f32.const nan:canonical))', /line 1: not an f32/],
    ['(invoke "f" (either (i32.const 1)))', /line 1: unknown argument/],
    ['(invoke "f" (i32.const 1 2))', /line 1: i32.const takes one literal/],
    ['(invoke "f" (v128.const i8x16 1))', /line 1: malformed v128.const/],
    ['\n(module\n (func $f\n (local.get $x)))', /line 4: .*unknown local/],
    ['(module', /line 1: unclosed parenthesis/],
    ['(module))', /line 1: unexpected \)/],
    ['(invoke "f', /line 1: unclosed string/],
    ['(; (; ;)', /line 1: unclosed comment/],
    ['(invoke "\\q")', /line 1: unknown escape/],
    ['(assert_trap (invoke "f"))', /line 1: expected a string/],
    ['(invoke "\\ff")', /not valid/],
  ];
  for (const [text, wanted] of cases) await assert.rejects(convert(text), wanted, text);
});
