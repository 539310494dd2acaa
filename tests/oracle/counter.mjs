// Counts instructions of the text that rewrite.mjs prints, by the rules of the
// component contract: every executed opcode is one, `block`, `loop`, `else`, `end`
// and `nop` too; a taken branch goes to its target's `end`, which counts, or to
// just after its `loop`, which does not.
//
// A straight-line segment is charged at its start, with the number of its
// instructions. A block's or if's `end` is executed by falling into it and by a
// branch to it, and code can only be put after it: so the segment after an `end`
// carries that `end`. The function's own `end` runs once for each entry and is
// charged there; a tail call, which leaves without it, takes it off again.
// Figures of a run that traps mean nothing.

const COUNTERS = ['instructions', 'calls', 'indirect_calls', 'returns', 'branches_taken', 'loop_iterations', 'depth', 'peak_frames'];

// Depth and peak include the function that the host called.
const INITIAL = { depth: 1, peak_frames: 1 };

const add = (name, amount) => `global.get $${name} i64.const ${amount} i64.add global.set $${name}`;

const BREAKS = new Set(['loop', 'if', 'else', 'br', 'br_if', 'br_table', 'return', 'unreachable', 'return_call', 'return_call_indirect']);
const CALLS = new Set(['call', 'call_indirect', 'return_call', 'return_call_indirect']);
const UNKNOWN = /^(try|catch|delegate|rethrow|throw|call_ref|return_call_ref|br_on_)/;

export class Counter {
  // Appends to `out`, the lines of a function; shared helpers go to `helpers`.
  constructor(out, helpers) {
    this.out = out;
    this.helpers = helpers;
    this.labels = ['func'];
  }

  enter() {
    this.start(1);
    this.segment.returns = 1;
  }

  start(instructions) {
    this.segment = { at: this.out.push('') - 1, instructions, calls: 0, indirect_calls: 0, returns: 0 };
  }

  // Writes the charge of the current segment where it starts.
  leave() {
    const { at, ...amounts } = this.segment;
    this.out[at] = Object.entries(amounts)
      .filter(([, amount]) => amount !== 0)
      .map(([name, amount]) => add(name, amount))
      .join(' ');
  }

  before({ op, text }) {
    if (UNKNOWN.test(op)) throw new Error(`the oracle does not count ${op}`);
    if (op === 'end') this.labels.pop();
    else this.segment.instructions++;
    if (op === 'block' || op === 'loop' || op === 'if') this.labels.push(op);
    if (CALLS.has(op)) this.call(op);
    const code = this.branch(op, text);
    if (code) this.out.push(code);
  }

  after({ op }) {
    if (op === 'call' || op === 'call_indirect') this.out.push('call $leave_frame');
    if (op === 'end') this.restart(1);
    else if (BREAKS.has(op)) this.restart(0);
  }

  restart(instructions) {
    this.leave();
    this.start(instructions);
  }

  call(op) {
    this.segment.calls++;
    if (op.endsWith('_indirect')) this.segment.indirect_calls++;
    if (op.startsWith('return_')) this.segment.instructions--;
    else this.out.push('call $enter_frame');
  }

  isLoop(depth) {
    return this.labels[this.labels.length - 1 - depth] === 'loop';
  }

  // Code that counts a branch before it is made: it leaves the operand stack as
  // it was, so that conditions and table indices pass through it.
  branch(op, text) {
    const depths = text.split(' ').slice(1).map(Number);
    if (op === 'return') return 'call $branch';
    if (op === 'br') return this.isLoop(depths[0]) ? 'call $branch_back' : 'call $branch';
    if (op === 'br_if') return this.isLoop(depths[0]) ? 'call $branch_back_if' : 'call $branch_if';
    if (op !== 'br_table') return null;
    const targets = depths.map((depth) => (this.isLoop(depth) ? 1 : 0));
    return `call ${this.helpers.name(`br_table ${targets}`, (name) => tableHelper(name, targets))}`;
  }

  static definitions() {
    const globals = COUNTERS.map((name) =>
      `  (global $${name} (export "oracle.${name}") (mut i64) (i64.const ${INITIAL[name] ?? 0}))`);
    return [...globals, BUDGET, FRAME_HELPERS, BRANCH_HELPERS];
  }
}

// Sends each index to one of two labels: the inner for a forward target.
function tableHelper(name, targets) {
  return `  (func ${name} (param i32) (result i32)
    block block local.get 0 br_table ${targets.join(' ')} end call $branch local.get 0 return end
    call $branch_back local.get 0)`;
}

// Every loop that never ends comes by a back-edge.
const BUDGET = '  (global $budget (export "oracle.budget") (mut i64) (i64.const 0x7fffffffffffffff))';
const CHECK_BUDGET = 'global.get $instructions global.get $budget i64.gt_u if unreachable end';

const FRAME_HELPERS = `  (func $enter_frame ${add('depth', 1)}
    global.get $depth global.get $peak_frames i64.gt_u if global.get $depth global.set $peak_frames end)
  (func $leave_frame ${add('depth', -1)})`;

const BRANCH_HELPERS = `  (func $branch ${add('branches_taken', 1)})
  (func $branch_back ${add('branches_taken', 1)} ${add('loop_iterations', 1)} ${CHECK_BUDGET})
  (func $branch_if (param i32) (result i32) local.get 0 if call $branch end local.get 0)
  (func $branch_back_if (param i32) (result i32) local.get 0 if call $branch_back end local.get 0)`;

// The counters of an instance, and a way to run something without counting it.
export function readCounters(exports) {
  return Object.fromEntries(COUNTERS.map((name) => [name, exports[`oracle.${name}`].value]));
}

export function writeCounters(exports, values) {
  for (const [name, value] of Object.entries(values)) exports[`oracle.${name}`].value = value;
}

// From here on a back-edge traps once more than this many instructions ran.
export function setBudget(exports, budget) {
  exports['oracle.budget'].value = budget;
}
