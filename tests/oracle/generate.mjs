// Random components that always end, for comparing wasmeter with the oracle on
// shapes of code no compiler writes: every kind of branch, values through blocks
// and tables, dead code, page-crossing and bulk accesses, vectors, indirect and
// recursive calls, a moving stack pointer. The same seed gives the same module.
//
// What may repeat spends fuel, a global: loops and function entries. Nothing
// traps: addresses are masked, divisors are odd, and no NaN is ever stored.
//
// Besides, the shapes that compilers do write: sums as addresses, made of the locals
// $p and $q, which nothing but masked values are set to; counted loops, tested at their
// head or end; byte comparisons; tables from a base; constants to choose from.

import { isMain } from './component-host.mjs';

const PAGES = 4;
const FUEL = 400;
const OUTPUT = 200000;
const TYPES = ['i32', 'i64', 'f64', 'v128'];
const OWN = '(local $p i32) (local $q i32) (local $n i32)'; // addresses, and a counter
const DEFAULTS = { i32: '(i32.const 0)', i64: '(i64.const 0)', f64: '(f64.const 0)', v128: '(v128.const i64x2 0 0)' };
const GLOBALS = { i32: ['0', '$i'], i64: ['$l'], f64: ['$d'], v128: ['$v'] }; // written freely; 0 is the stack pointer

// Vector instructions whose results are integers, so that no NaN has bits to choose.
const INTEGER_LANES = ['i8x16', 'i16x8', 'i32x4', 'i64x2'];
const each = (lanes, names) => lanes.flatMap((lane) => names.map((name) => `${lane}.${name}`));
const VECTOR_TESTS = ['v128.any_true', ...each(INTEGER_LANES, ['all_true', 'bitmask'])];
const VECTOR_BINARIES = [
  'v128.and', 'v128.or', 'v128.xor', 'v128.andnot', 'i8x16.swizzle', 'i16x8.mul', 'i32x4.mul', 'i64x2.mul', 'i32x4.dot_i16x8_s', 'i16x8.q15mulr_sat_s',
  ...each(INTEGER_LANES, ['add', 'sub', 'eq', 'ne', 'lt_s', 'gt_s', 'le_s', 'ge_s']),
  ...each(['i8x16', 'i16x8', 'i32x4'], ['lt_u', 'gt_u', 'le_u', 'ge_u', 'min_s', 'min_u', 'max_s', 'max_u']),
  ...each(['i8x16', 'i16x8'], ['add_sat_s', 'add_sat_u', 'sub_sat_s', 'sub_sat_u', 'avgr_u']),
  ...each(['i8x16'], ['narrow_i16x8_s', 'narrow_i16x8_u']), ...each(['i16x8'], ['narrow_i32x4_s', 'narrow_i32x4_u']),
  ...each(['i16x8'], ['extmul_low_i8x16_s', 'extmul_high_i8x16_s', 'extmul_low_i8x16_u', 'extmul_high_i8x16_u']),
  ...each(['i32x4'], ['extmul_low_i16x8_s', 'extmul_high_i16x8_u']), ...each(['i64x2'], ['extmul_low_i32x4_u', 'extmul_high_i32x4_s']),
];
const VECTOR_UNARIES = [
  'v128.not', 'i8x16.popcnt', 'i32x4.trunc_sat_f32x4_s', 'i32x4.trunc_sat_f32x4_u', 'i32x4.trunc_sat_f64x2_s_zero', 'i32x4.trunc_sat_f64x2_u_zero',
  'f32x4.convert_i32x4_s', 'f32x4.convert_i32x4_u', 'f64x2.convert_low_i32x4_s',
  ...each(INTEGER_LANES, ['abs', 'neg']),
  ...each(['i16x8'], ['extend_low_i8x16_s', 'extend_high_i8x16_u', 'extadd_pairwise_i8x16_s', 'extadd_pairwise_i8x16_u']),
  ...each(['i32x4'], ['extend_low_i16x8_u', 'extend_high_i16x8_s', 'extadd_pairwise_i16x8_s', 'extadd_pairwise_i16x8_u']),
  ...each(['i64x2'], ['extend_low_i32x4_s', 'extend_high_i32x4_u']),
];

class Random {
  constructor(seed) {
    this.state = (seed * 2654435761) >>> 0 || 1;
  }

  below(n) {
    this.state ^= this.state << 13;
    this.state ^= this.state >>> 17;
    this.state ^= this.state << 5;
    this.state >>>= 0;
    return this.state % n;
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  chance(percent) {
    return this.below(100) < percent;
  }
}

class Generator {
  constructor(seed) {
    this.random = new Random(seed);
    const count = 3 + this.random.below(4);
    const some = (most) => Array.from({ length: this.random.below(most + 1) }, () => this.random.pick(TYPES));
    this.functions = Array.from({ length: count }, (_, i) => ({ name: `$f${i}`, params: some(3), results: some(2) }));
  }

  module() {
    const bodies = this.functions.map((f) => this.function(f));
    const names = this.functions.map(({ name }) => name).join(' ');
    const render = this.render();
    return `(module
  (memory (export "memory") ${PAGES} ${PAGES})
  (global (mut i32) (i32.const 131072)) (global $fuel (mut i32) (i32.const ${FUEL}))
  (global $i (mut i32) (i32.const 7)) (global $l (mut i64) (i64.const -7))
  (global $d (mut f64) (f64.const 1.5)) (global $v (mut v128) (v128.const i32x4 1 2 3 4))
  (table ${this.functions.length} funcref) (elem (i32.const 0) ${names})
  (data (i32.const 65500) "${'active segment, '.repeat(6)}") (data $passive "${'0123456789'.repeat(20)}")
  (func (export "output_bytes_cap") (result i32) i32.const 4096)
  (func (export "uniform_set_seed") (param i32) (result i32)
    (global.set $i (local.get 0)) (i32.store (i32.const 65534) (local.get 0)) (local.get 0))
${bodies.join('\n')}
${render})
`;
  }

  function({ name, params, results }) {
    this.locals = [...params, ...TYPES, ...TYPES];
    this.results = results;
    this.success = null;
    this.labels = [];
    this.depth = 0;
    const local = TYPES.concat(TYPES).join(' ');
    return `  (func ${name} (param ${params.join(' ')}) (result ${results.join(' ')}) (local ${local}) ${OWN}
    ${this.guard()}
    ${this.statements(3 + this.random.below(4))}
    ${results.map((type) => this.value(type)).join(' ')})`;
  }

  render() {
    this.locals = ['i32', ...TYPES, ...TYPES];
    this.success = `(i64.or (i64.shl (i64.const ${OUTPUT}) (i64.const 32)) (i64.const ${this.random.below(4000)}))`;
    this.labels = [];
    this.depth = 0;
    const calls = this.functions.map((f) => this.callStatement(f)).join('\n    ');
    return `  (func (export "render") (param i32) (result i64) (local ${TYPES.concat(TYPES).join(' ')}) ${OWN}
    ${this.statements(4)}
    ${calls}
    ${this.statements(2)}
    ${this.success})`;
  }

  spend() {
    return '(global.set $fuel (i32.sub (global.get $fuel) (i32.const 1)))';
  }

  exhausted() {
    return '(i32.le_s (global.get $fuel) (i32.const 0))';
  }

  // The function's results: defaults or random values; render's are its success.
  returned(values) {
    if (this.success) return this.success;
    return this.results.map((type) => (values ? this.value(type) : DEFAULTS[type])).join(' ');
  }

  // What repeats pays for itself, or leaves.
  guard() {
    return `${this.spend()} (if ${this.exhausted()} (then (return ${this.returned(false)})))`;
  }

  nested(generate) {
    this.depth++;
    const text = generate();
    this.depth--;
    return text;
  }

  // ---- statements: they leave the operand stack as it was ----

  statements(count) {
    return Array.from({ length: count }, () => this.statement()).join('\n    ');
  }

  statement() {
    const { random } = this;
    const simple = ['set', 'set', 'store', 'store', 'place', 'update', 'drop', 'global', 'bulk', 'call', 'nop', 'branch', 'branch'];
    const nested = ['if', 'ifElse', 'block', 'loop', 'count', 'while', 'table', 'early'];
    const kind = random.pick(this.depth < 4 ? [...simple, ...nested] : simple);
    return this.nested(() => this[`${kind}Statement`]());
  }

  nopStatement() {
    return '(nop)';
  }

  dropStatement() {
    return `(drop ${this.value(this.random.pick(TYPES))})`;
  }

  setStatement() {
    const index = this.random.below(this.locals.length);
    return `(local.set ${index} ${this.value(this.locals[index])})`;
  }

  placeStatement() {
    return this.random.pick([
      `(local.set $p ${this.place('0x1f000')})`,
      `(local.set $q ${this.place('0x1ff8')})`,
      `(local.set $p ${this.place('0x1f000')}) (local.set $q (i32.shr_u (local.get $p) (i32.const 5)))`,
    ]);
  }

  // Two of a local's values in one place, or a local that is stepped by a constant.
  updateStatement() {
    const { random } = this;
    const i32s = this.locals.flatMap((type, i) => (type === 'i32' ? [i] : []));
    const [a, b] = [random.pick(i32s), random.pick(i32s)];
    return random.pick([
      `(local.set ${a} (i32.add (local.get ${a}) (i32.const ${random.below(9) - 4})))`,
      `(local.set ${a} (i32.add (local.get ${a}) (i32.const 1))) (local.set ${b} (i32.sub (local.get ${b}) (i32.const 3)))`,
      `(local.set ${a} (local.get ${b})) (local.set ${b} (i32.const ${random.below(100)}))`,
      `(local.set ${a} (i32.const 5)) (local.set ${b} (i32.const -7))`,
      `(i32.store offset=40 (local.get $p) (i32.xor (i32.load offset=40 (local.get $p)) ${this.value('i32')}))`,
      `(i32.store8 (i32.add (local.get $p) (local.get $q)) (i32.add (i32.load8_u (i32.add (local.get $p) (local.get $q))) (i32.const 1)))`,
    ]);
  }

  // A loop that counts $n up to a few, tested at its end. Bodies may set $n: fuel ends it at last.
  countStatement() {
    const { random } = this;
    const most = 1 + random.below(6);
    const body = this.loopBody();
    const step = '(i32.add (local.get $n) (i32.const 1))';
    const test = random.pick([
      `(i32.lt_u (local.tee $n ${step}) (i32.const ${most}))`,
      `(i32.ne (local.tee $n ${step}) (i32.const ${most}))`,
      `(local.tee $n (i32.sub (local.get $n) (i32.const 1)))`,
      `(i32.lt_s (local.tee $n ${step}) (local.get $q))`,
      `(i32.ne (local.get $q) (local.tee $n ${step}))`,
    ]);
    const first = test.includes('i32.sub') ? most : random.below(2);
    const end = `(br_if 1 ${this.exhausted()}) (br_if 0 ${test})`;
    return `(local.set $n (i32.const ${first})) (block (loop ${body} ${this.spend()} ${end}))`;
  }

  // The same tested at its head.
  whileStatement() {
    const { random } = this;
    const body = this.loopBody();
    const test = random.pick([
      `(i32.ge_u (local.get $n) (i32.const ${1 + random.below(6)}))`,
      `(i32.eq (local.get $n) (local.get $q))`,
      `(i32.eqz (local.get $n))`,
      `(i32.gt_s (local.get $n) (local.get $q))`,
    ]);
    const step = `(local.set $n (i32.add (local.get $n) (i32.const ${test.includes('eqz') ? -1 : 1})))`;
    const end = `${step} ${this.spend()} (br_if 1 ${this.exhausted()}) (br 0)`;
    return `(local.set $n (i32.const ${random.below(4)})) (block (loop (br_if 1 ${test}) ${body} ${end}))`;
  }

  // Of a loop inside a block, with a block of its own, so that it can go on early.
  loopBody() {
    const statements = () => this.statements(1 + this.random.below(2));
    const inside = () => this.labelled('loop', () => this.labelled('block', statements));
    return `(block ${this.labelled('block', inside)})`;
  }

  globalStatement() {
    const type = this.random.pick(TYPES);
    return `(global.set ${this.random.pick(GLOBALS[type])} ${this.value(type)})`;
  }

  storeStatement() {
    const { random } = this;
    const type = random.pick(['i32', 'i64', 'v128']);
    const op = random.pick({
      i32: ['i32.store', 'i32.store8', 'i32.store16'],
      i64: ['i64.store', 'i64.store8', 'i64.store16', 'i64.store32'],
      v128: ['v128.store', 'v128.store8_lane', 'v128.store16_lane', 'v128.store32_lane', 'v128.store64_lane'],
    }[type]);
    return `(${op} ${this.offset()} ${op.endsWith('_lane') ? random.below(2) : ''} ${this.address()} ${this.value(type)})`;
  }

  bulkStatement() {
    const at = () => `(i32.and ${this.value('i32')} (i32.const 0x3f000))`;
    const near = () => this.random.pick([at(), '(i32.const 65400)', '(i32.const 131000)', '(i32.const 65500)']);
    const length = `(i32.and ${this.value('i32')} (i32.const ${this.random.pick(['0x1ff', '0xf', '0'])}))`;
    return this.random.pick([
      `(memory.copy ${near()} ${near()} ${length})`,
      `(memory.fill ${near()} ${this.value('i32')} ${length})`,
      `(memory.init $passive ${near()} (i32.and ${this.value('i32')} (i32.const 63)) (i32.and ${this.value('i32')} (i32.const 63)))`,
    ]);
  }

  callStatement(callee = this.random.pick(this.functions)) {
    const { params, results } = callee;
    const drops = results.map(() => 'drop').join(' ');
    return `${this.callOf(callee, params)} ${drops}`;
  }

  callOf({ name, params, results }) {
    const args = params.map((type) => this.value(type)).join(' ');
    if (this.random.chance(70)) return `(call ${name} ${args})`;
    return `(call_indirect (param ${params.join(' ')}) (result ${results.join(' ')}) ${args} (i32.const ${name.slice(2)}))`;
  }

  ifStatement() {
    return `(if ${this.value('i32')} (then ${this.labelled('if', () => this.statements(1 + this.random.below(3)))}))`;
  }

  ifElseStatement() {
    const arm = () => this.labelled('if', () => this.statements(1 + this.random.below(2)));
    return `(if ${this.value('i32')} (then ${arm()}) (else ${arm()}))`;
  }

  blockStatement() {
    return `(block ${this.labelled('block', () => this.statements(1 + this.random.below(3)))})`;
  }

  loopStatement() {
    const body = this.labelled('loop', () => this.statements(1 + this.random.below(3)));
    const some = `(i32.rem_s (global.get $fuel) (i32.const ${2 + this.random.below(9)}))`;
    const more = this.random.chance(50) ? some : `(i32.and ${this.value('i32')} ${some})`;
    return `(loop ${body} ${this.spend()} (br_if 0 (i32.and (i32.gt_s ${more} (i32.const 0)) (i32.gt_s (global.get $fuel) (i32.const 0)))))`;
  }

  // Labels are listed outermost first; a branch to a loop is made only with fuel.
  labelled(kind, generate) {
    this.labels.push(kind);
    const text = generate();
    this.labels.pop();
    return text;
  }

  target() {
    return this.random.below(this.labels.length);
  }

  isLoop(target) {
    return this.labels[this.labels.length - 1 - target] === 'loop';
  }

  branchStatement() {
    if (this.labels.length === 0) return this.earlyStatement();
    const target = this.target();
    const before = this.isLoop(target) ? this.guard() : '';
    if (this.random.chance(65)) return `${before} (br_if ${target} ${this.value('i32')})`;
    const dead = this.random.chance(50) ? this.dropStatement() : '(nop)';
    return `(block ${before} (br ${target + 1}) ${dead})`; // a block, so that what follows is not all dead
  }

  tableStatement() {
    if (this.labels.length === 0) return this.blockStatement();
    const targets = Array.from({ length: 1 + this.random.below(5) }, () => this.target());
    const before = targets.some((target) => this.isLoop(target)) ? this.guard() : '';
    const index = this.random.pick([
      () => this.value('i32'),
      () => this.place('3'),
      () => `(i32.sub ${this.place('7')} (i32.const 2))`,
      () => `(i32.add (i32.load8_u ${this.address()}) (i32.const -3))`,
    ])();
    const inner = targets.map((target) => target + 1);
    const own = this.random.chance(60) ? ' 0' : '';
    return `(block ${before} (br_table ${inner.join(' ')}${own} ${index}) ${this.random.chance(30) ? '(unreachable)' : ''})`;
  }

  earlyStatement() {
    const condition = `(i32.eq (i32.and ${this.value('i32')} (i32.const 15)) (i32.const ${this.random.below(16)}))`;
    return `(if ${condition} (then (return ${this.returned(true)})))`;
  }

  // ---- values ----

  address() {
    const crossing = `(i32.add (i32.and ${this.value('i32')} (i32.const 0x20000)) (i32.const 65528))`;
    if (this.random.chance(25)) return crossing;
    return this.random.chance(40) ? this.sum() : this.place('0x3ff00');
  }

  place(mask) {
    return `(i32.and ${this.value('i32')} (i32.const ${mask}))`;
  }

  // Below 0x3ff00: $p up to 0x1f000, $q up to 0x1ff8, constants that may wrap around.
  sum() {
    const { random } = this;
    const far = `(i32.const ${random.below(4000)})`;
    const high = () => random.pick(['(local.get $p)', '(local.get $p)', this.place('0x1f000'), `(local.tee $p ${this.place('0x1f000')})`]);
    const low = () => random.pick(['(local.get $q)', '(local.get $q)', this.place('0x1ff8'), `(local.tee $q ${this.place('0x1ff8')})`]);
    const scaled = () => `(i32.shl ${low()} (i32.const ${random.below(4)}))`;
    const byte = () => `(i32.shl (i32.and ${this.value('i32')} (i32.const 255)) (i32.const 2))`;
    return random.pick([
      () => `(i32.add ${high()} ${far})`,
      () => `(i32.add ${far} ${low()})`,
      () => `(i32.sub ${high()} (i32.const -${random.below(4000)}))`,
      () => `(i32.add ${high()} ${low()})`,
      () => `(i32.add ${low()} ${high()})`,
      () => `(i32.add (i32.add ${high()} ${low()}) ${far})`,
      () => `(i32.add ${high()} (i32.add ${low()} ${far}))`,
      () => `(i32.add ${high()} ${scaled()})`,
      () => `(i32.add ${scaled()} ${far})`,
      () => `(i32.add ${far} ${byte()})`,
      () => `(i32.add ${high()} ${byte()})`,
      () => `(i32.add (i32.or ${low()} (i32.const -8192)) (i32.const 8192))`,
      () => `(i32.add (i32.add ${low()} (i32.const -4096)) (i32.const 4096))`,
    ])();
  }

  offset() {
    return this.random.chance(50) ? '' : `offset=${this.random.below(200)}`;
  }

  value(type) {
    const { random } = this;
    if (this.depth > 6 || random.chance(35)) return this.leaf(type);
    return this.nested(() => {
      if (random.chance(20)) return this.shaped(type);
      if (random.chance(8)) {
        const callee = random.pick(this.functions);
        if (String(callee.results) === type) return this.callOf(callee);
      }
      return this[`${type}Value`]();
    });
  }

  leaf(type) {
    const { random } = this;
    const locals = this.locals.flatMap((local, i) => (local === type ? [i] : []));
    if (locals.length > 0 && random.chance(55)) return `(local.get ${random.pick(locals)})`;
    if (random.chance(25)) return `(global.get ${random.pick(GLOBALS[type])})`;
    const small = random.chance(50) ? random.below(300) : random.below(0xffffffff) | 0;
    if (type === 'v128') return `(v128.const i32x4 ${small} ${random.below(99)} -1 ${random.below(7)})`;
    return `(${type}.const ${small})`;
  }

  // Any type: through a block, an if, a select or a tee.
  shaped(type) {
    const { random } = this;
    const locals = this.locals.flatMap((local, i) => (local === type ? [i] : []));
    const kind = random.below(5);
    if (kind === 0) {
      const some = () => (random.chance(30) ? this.leaf(type) : this.value(type));
      return `(select ${some()} ${some()} ${this.value('i32')})`;
    }
    if (kind === 1) return `(local.tee ${random.pick(locals)} ${this.value(type)})`;
    if (kind === 2) {
      return `(if (result ${type}) ${this.value('i32')} (then ${this.value(type)}) (else ${this.value(type)}))`;
    }
    const rest = kind === 3 ? '' : `(drop) ${this.value(type)}`;
    return `(block (result ${type}) ${this.value(type)} (br_if 0 ${this.value('i32')}) ${rest})`;
  }

  i32Value() {
    const { random } = this;
    const [a, b] = [() => this.value('i32'), () => this.value('i32')];
    const compare = (type, ops) => `(${type}.${random.pick(ops)} ${this.value(type)} ${this.value(type)})`;
    return random.pick([
      () => `(i32.${random.pick(['add', 'sub', 'mul', 'and', 'or', 'xor', 'shl', 'shr_s', 'shr_u', 'rotl', 'rotr'])} ${a()} ${b()})`,
      () => `(i32.${random.pick(['div_u', 'rem_u', 'rem_s'])} ${a()} (i32.or ${b()} (i32.const 1)))`,
      () => `(i32.${random.pick(['eqz', 'clz', 'ctz', 'popcnt', 'extend8_s', 'extend16_s'])} ${a()})`,
      () => compare('i32', ['eq', 'ne', 'lt_s', 'lt_u', 'gt_s', 'gt_u', 'le_s', 'le_u', 'ge_s', 'ge_u']),
      () => compare('i64', ['eq', 'ne', 'lt_s', 'lt_u', 'gt_s', 'ge_u']),
      () => compare('f64', ['eq', 'ne', 'lt', 'gt', 'le', 'ge']),
      () => `(i32.${random.pick(['load', 'load8_s', 'load8_u', 'load16_s', 'load16_u'])} ${this.offset()} ${this.address()})`,
      () => `(i32.${random.pick(['eq', 'ne', 'lt_u', 'gt_s'])} (i32.load8_u ${this.address()}) (i32.const ${random.below(256)}))`,
      () => `(i32.eqz (i32.load8_u ${this.address()}))`,
      () => `(i32.eqz ${compare('i32', ['eq', 'lt_s', 'ge_u'])})`,
      () => `(i32.xor (i32.load (i32.add (i32.shl (i32.and ${a()} (i32.const 255)) (i32.const 2)) (i32.const 1024))) (i32.shr_u ${b()} (i32.const 8)))`,
      () => `(i32.wrap_i64 ${this.value('i64')})`,
      () => `(i32.trunc_sat_f64_${random.pick(['s', 'u'])} ${this.value('f64')})`,
      () => `(i8x16.extract_lane_${random.pick(['s', 'u'])} ${random.below(16)} ${this.value('v128')})`,
      () => `(${random.pick(['i32x4.extract_lane', 'i16x8.extract_lane_s', 'i16x8.extract_lane_u'])} ${random.below(4)} ${this.value('v128')})`,
      () => `(${random.pick(VECTOR_TESTS)} ${this.value('v128')})`,
      () => '(memory.size)',
    ])();
  }

  i64Value() {
    const { random } = this;
    const [a, b] = [() => this.value('i64'), () => this.value('i64')];
    return random.pick([
      () => `(i64.${random.pick(['add', 'sub', 'mul', 'and', 'or', 'xor', 'shl', 'shr_s', 'shr_u', 'rotl'])} ${a()} ${b()})`,
      () => `(i64.${random.pick(['div_u', 'rem_s'])} ${a()} (i64.or ${b()} (i64.const 1)))`,
      () => `(i64.${random.pick(['clz', 'popcnt', 'extend32_s'])} ${a()})`,
      () => `(i64.extend_i32_${random.pick(['s', 'u'])} ${this.value('i32')})`,
      () => `(i64.${random.pick(['load', 'load8_s', 'load16_u', 'load32_s', 'load32_u'])} ${this.offset()} ${this.address()})`,
      () => `(i64x2.extract_lane ${random.below(2)} ${this.value('v128')})`,
    ])();
  }

  // Finite or infinite, never a NaN: products of sums of conversions stay small.
  f64Value() {
    const { random } = this;
    return random.pick([
      () => `(f64.convert_i32_${random.pick(['s', 'u'])} ${this.value('i32')})`,
      () => `(f64.convert_i64_s ${this.value('i64')})`,
      () => `(f64.${random.pick(['min', 'max'])} ${this.value('f64')} ${this.value('f64')})`,
      () => `(f64.${random.pick(['floor', 'ceil', 'trunc', 'nearest', 'neg', 'abs'])} ${this.value('f64')})`,
      () => `(f64.promote_f32 (f32.convert_i32_s ${this.value('i32')}))`,
      () => `(f64.sqrt (f64.abs ${this.value('f64')}))`,
    ])();
  }

  v128Value() {
    const { random } = this;
    const [a, b] = [() => this.value('v128'), () => this.value('v128')];
    const bytes = () => Array.from({ length: 16 }, () => random.below(32));
    const words = () => Array.from({ length: 4 }, () => random.below(8)).flatMap((lane) => [0, 1, 2, 3].map((byte) => 4 * lane + byte));
    const loads = ['load', 'load8x8_s', 'load16x4_u', 'load32x2_s', 'load8_splat', 'load16_splat', 'load32_splat', 'load64_splat', 'load32_zero', 'load64_zero'];
    return random.pick([
      () => `(v128.${random.pick(loads)} ${this.offset()} ${this.address()})`,
      () => `(v128.load${random.pick([8, 16, 32, 64])}_lane ${this.offset()} ${random.below(2)} ${this.address()} ${a()})`,
      () => `(${random.pick(VECTOR_BINARIES)} ${a()} ${b()})`,
      () => `(${random.pick(VECTOR_BINARIES)} ${a()} ${b()})`,
      () => `(${random.pick(VECTOR_UNARIES)} ${a()})`,
      () => `(i8x16.shuffle ${random.pick([bytes, words])().join(' ')} ${a()} ${b()})`,
      () => `(${random.pick(['i8x16', 'i16x8', 'i32x4'])}.splat ${this.value('i32')})`,
      () => `(${random.pick(['i8x16', 'i16x8', 'i32x4'])}.replace_lane ${random.below(4)} ${a()} ${this.value('i32')})`,
      () => `(i64x2.replace_lane ${random.below(2)} ${a()} ${this.value('i64')})`,
      () => `(v128.bitselect ${a()} ${b()} ${this.value('v128')})`,
      () => `(${random.pick(INTEGER_LANES)}.${random.pick(['shl', 'shr_s', 'shr_u'])} ${a()} ${this.value('i32')})`,
      () => `(${random.pick(INTEGER_LANES)}.${random.pick(['shl', 'shr_s', 'shr_u'])} ${a()} (i32.const ${random.below(70)}))`,
    ])();
  }
}

export const generateComponent = (seed) => new Generator(seed).module();

if (isMain(import.meta)) process.stdout.write(generateComponent(Number(process.argv[2] ?? 1)));
