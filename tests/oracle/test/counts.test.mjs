// The count oracle on modules whose figures were worked out by hand. Every render
// below ends with `i64.const 0` and its `end`: those two are always in the sum.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { assemble } from '../../../spec-tests/assembler.mjs';
import { csvOf, measure } from '../measure.mjs';
import { generator, success, withInput } from './wat.mjs';

const count = (body, options) => measure(generator(body, options), {}).counts;

// [what, body, instructions, branches taken, loop iterations], generators without fields.
const CASES = [
  ['nothing', '', 2, 0, 0],
  ['nop counts', 'nop nop', 4, 0, 0],
  ['a block falls through: block, nop, end', 'block nop end', 5, 0, 0],
  ['br leaves to the end: block, br, end', 'block br 0 nop nop end', 5, 1, 0],
  ['br over two: inner end skipped', 'block block br 1 nop end nop end', 6, 1, 0],
  ['br_if taken: block, const, br_if, end', 'block i32.const 1 br_if 0 nop end', 6, 1, 0],
  ['br_if not taken', 'block i32.const 0 br_if 0 nop end', 7, 0, 0],
  ['a true if: const, if, nop, end', 'i32.const 1 if nop end', 6, 0, 0],
  ['a false if goes to its end: const, if, end', 'i32.const 0 if nop end', 5, 0, 0],
  ['a true if with else: const, if, nop, else, end', 'i32.const 1 if nop else nop nop end', 7, 0, 0],
  ['a false if with else: const, if, nop, nop, end', 'i32.const 0 if nop else nop nop end', 7, 0, 0],
  ['br out of a then: const, if, br, end', 'i32.const 1 if br 0 else nop end', 6, 1, 0],
  ['br out of an else', 'i32.const 0 if nop else br 0 nop end', 6, 1, 0],
  ['a loop runs once: loop, nop, end', 'loop nop end', 5, 0, 0],
  ['br to the function: const, br, end', 'i64.const 0 br 0 nop', 3, 1, 0],
  ['return: const, return, end', 'i64.const 0 return nop nop', 3, 1, 0],
  ['return from a block in a loop', 'loop block i64.const 0 return end end', 5, 1, 0],
  ['br_if to the function, taken', 'i64.const 0 i32.const 1 br_if 0 drop', 4, 1, 0],
  ['dead code costs nothing', 'block br 0 i32.const 1 if nop else nop end loop end end', 5, 1, 0],
];

test('instructions, branches and loop iterations of control flow', () => {
  for (const [what, body, instructions, branches, loops] of CASES) {
    const counts = count(body);
    const got = [counts.instructions, counts.branches_taken, counts.loop_iterations].map(Number);
    assert.deepEqual(got, [instructions, branches, loops], what);
    assert.deepEqual([counts.calls, counts.returns, counts.peak_frames].map(Number), [0, 1, 1], what);
  }
});

test('a counted loop: the loop opcode counts once, each iteration its body', () => {
  // set 0 (2), loop (1), 5 times [get const add tee const lt_u br_if] (7), end (1), and 2.
  const counts = count('i32.const 0 local.set 1 loop local.get 1 i32.const 1 i32.add local.tee 1 i32.const 5 i32.lt_u br_if 0 end', {
    locals: '(local i32)',
  });
  assert.deepEqual([counts.instructions, counts.branches_taken, counts.loop_iterations], [41n, 4n, 4n]);
});

test('br back to a loop from inside a block', () => {
  // loop (1); twice [block get const add tee const eq br_if] (8): then br 1 (1), or out to end (1); loop end (1); 2.
  const body = 'loop block local.get 1 i32.const 1 i32.add local.tee 1 i32.const 2 i32.eq br_if 0 br 1 end end';
  const counts = count(body, { locals: '(local i32)' });
  assert.deepEqual([counts.instructions, counts.branches_taken, counts.loop_iterations], [22n, 2n, 1n]);
});

test('br_table: each target, the default beyond, a loop among them', () => {
  const body = (index) => `block block i32.const ${index} br_table 0 1 1 end nop end`;
  // block block const br_table end (5), then nop end (2) or the outer end (1).
  assert.equal(count(body(0)).instructions, 5n + 2n + 2n);
  for (const index of [1, 2, 7, -1]) assert.equal(count(body(index)).instructions, 5n + 0n + 2n, String(index));
  assert.equal(count(body(3)).branches_taken, 1n);
  // loop (1), get const add tee (4) block (1) get br_table: to the loop while 1 is asked.
  const loop = `loop local.get 1 i32.const 1 i32.add local.set 1 block
    i32.const 1 i32.const 0 local.get 1 i32.const 3 i32.lt_u select br_table 0 1 end end`;
  const counts = count(loop, { locals: '(local i32)' });
  // three rounds of 4 + block + 6 + br_table = 12, loop 1, two ends, and 2.
  assert.deepEqual([counts.instructions, counts.branches_taken, counts.loop_iterations], [41n, 3n, 2n]);
});

test('calls, returns and frames', () => {
  const fields = `(table 2 funcref) (elem (i32.const 0) $leaf $outer)
    (func $leaf nop)
    (func $outer call $leaf call $leaf)
    (func $deep (param i32) local.get 0 if local.get 0 i32.const 1 i32.sub call $deep end)`;
  const direct = count('call $outer', { fields });
  // call, [call, [nop end], call, [nop end], end], and 2.
  assert.equal(direct.instructions, 10n);
  assert.deepEqual([direct.calls, direct.indirect_calls, direct.returns, direct.peak_frames], [3n, 0n, 4n, 3n]);
  const indirect = count('i32.const 1 call_indirect i32.const 0 call_indirect', { fields });
  assert.equal(indirect.instructions, 15n);
  assert.deepEqual([indirect.calls, indirect.indirect_calls, indirect.returns, indirect.peak_frames], [4n, 2n, 5n, 3n]);
  const deep = count('i32.const 9 call $deep i32.const 3 call $deep', { fields });
  // $deep(n): n rounds of get if get const sub call, get if at 0, n ends and n + 1 function ends.
  assert.equal(deep.instructions, BigInt(4 + [9, 3].reduce((sum, n) => sum + 8 * n + 4, 0) + 2));
  assert.deepEqual([deep.calls, deep.returns, deep.peak_frames], [14n, 15n, 11n]);
});

test('early returns of a callee give back its frame', () => {
  const fields = '(func $f (param i32) local.get 0 if return end) (func $g i32.const 1 call $f i32.const 0 call $f)';
  const counts = count('call $g call $g', { fields });
  // $f(1): get if return end = 4; $f(0): get if end end = 4; $g: 5 of its own.
  assert.equal(counts.instructions, BigInt(2 + 2 * (5 + 8) + 2));
  assert.deepEqual([counts.branches_taken, counts.returns, counts.peak_frames], [2n, 7n, 3n]);
});

// Node.js 18 has tail calls behind a switch.
if (Number(process.versions.node.split('.')[0]) < 20) setFlagsFromString('--experimental-wasm-return-call');

test('tail calls reuse the frame and skip the end', () => {
  const fields = '(func $f (param i32) (result i64) local.get 0 if local.get 0 i32.const 1 i32.sub return_call $f end i64.const 0)';
  const counts = count('i32.const 3 return_call $f', { fields });
  // render: const, return_call. $f: 3 rounds of 6, then get if end const end.
  assert.equal(counts.instructions, 25n);
  assert.deepEqual([counts.calls, counts.returns, counts.peak_frames, counts.branches_taken], [4n, 5n, 1n, 0n]);
});

test('setters are part of the run, in the order of their keys, static getters are not', () => {
  const setters = ['b', 'a'].map((key) =>
    `(func (export "uniform_set_${key}") (param i32) (result i32) i32.const 0 local.get 0 i32.store local.get 0)`);
  const bytes = generator('', { fields: setters.join('\n'), result: success(0, 4) });
  const { counts, output } = measure(bytes, { uniforms: { b: '2', a: '0x1' } });
  assert.deepEqual([counts.instructions, counts.returns, counts.memory_writes], [12n, 3n, 2]);
  assert.equal(output.bytes.readUInt32LE(), 2);
});

test('the rows, in order', () => {
  const bytes = withInput('i32.const 1 memory.grow drop i32.const 0 i32.const 9 i32.store8', { result: 'i64.const 3' });
  assert.equal(csvOf(measure(bytes, { input: Buffer.from('ab') }).counts), `metric,value
instructions,8
calls,0
indirect_calls,0
returns,1
branches_taken,0
loop_iterations,0
memory_reads,0
memory_writes,1
bytes_read,0
bytes_written,1
peak_frames,1
memory_pages,4
output_bytes,3
`);
});

test('what cannot be counted is an error', () => {
  assert.throws(() => count('try nop catch_all end'), /does not count try/);
});

// wabt's text form drops an `else` with nothing after it, so these come from
// another assembler and the oracle has to put it back.
test('an else without instructions is one when it is reached', async () => {
  const module = (body) => assemble(`(module (memory (export "memory") 1 1)
    (func (export "output_bytes_cap") (result i32) i32.const 1)
    (func (export "render") (param i32) (result i64) ${body} i64.const 0))`);
  const cases = [
    ['i32.const 1 if else end', 4 + 2], // const if else end
    ['i32.const 0 if else end', 3 + 2], // const if end
    ['i32.const 1 if nop else end', 5 + 2],
    ['i32.const 1 if br 0 else end', 4 + 2],
    ['i32.const 1 if i32.const 1 if else end else end', 8 + 2],
  ];
  for (const [body, wanted] of cases) {
    assert.equal(measure(await module(body), {}).counts.instructions, BigInt(wanted), body);
  }
});
