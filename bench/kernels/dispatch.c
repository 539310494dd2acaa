// Indirect dispatch: a small stack machine whose instructions are functions called through a table, so every virtual
// instruction is a call_indirect. One unit: a program of nested counting loops, about 11,000 virtual instructions.
#include "bench.h"

struct machine {
    uint32_t stack[32];
    uint32_t top;
    uint32_t vars[4];
    uint32_t pc;
    uint32_t running;
};
struct op {
    uint16_t code;
    uint16_t operand;
};
typedef void handler(struct machine *m, uint32_t operand);

static uint32_t pop(struct machine *m) {
    return m->stack[--m->top & 31];
}

static void push(struct machine *m, uint32_t value) {
    m->stack[m->top++ & 31] = value;
}

static void op_const(struct machine *m, uint32_t operand) { push(m, operand); }
static void op_load(struct machine *m, uint32_t operand) { push(m, m->vars[operand & 3]); }
static void op_store(struct machine *m, uint32_t operand) { m->vars[operand & 3] = pop(m); }
static void op_add(struct machine *m, uint32_t operand) { (void)operand; push(m, pop(m) + pop(m)); }
static void op_mul(struct machine *m, uint32_t operand) { (void)operand; push(m, pop(m) * pop(m)); }
static void op_xor(struct machine *m, uint32_t operand) { (void)operand; push(m, pop(m) ^ pop(m)); }
static void op_halt(struct machine *m, uint32_t operand) { (void)operand; m->running = 0; }

static void op_rotate(struct machine *m, uint32_t operand) {
    uint32_t v = pop(m);
    push(m, v << (operand & 31) | v >> (-operand & 31));
}

// Counts a variable down and jumps while it is not zero.
static void op_count(struct machine *m, uint32_t operand) {
    if (--m->vars[operand & 3] != 0)
        m->pc = operand >> 2;
}

enum { CONST, LOAD, STORE, ADD, MUL, XOR, ROTATE, COUNT, HALT };
static handler *const handlers[] = {op_const, op_load, op_store, op_add, op_mul, op_xor, op_rotate, op_count, op_halt};

static const struct op program[] = {
    {CONST, 24}, {STORE, 1},                                    // outer counter
    {CONST, 40}, {STORE, 2},                                    // 2: inner counter
    {LOAD, 0}, {LOAD, 2}, {MUL, 0}, {CONST, 9973}, {ADD, 0},    // 4: body
    {LOAD, 1}, {XOR, 0}, {ROTATE, 7}, {STORE, 0}, {COUNT, 4 << 2 | 2},
    {LOAD, 0}, {ROTATE, 11}, {STORE, 0}, {COUNT, 2 << 2 | 1},
    {HALT, 0},
};

static BENCH_NOINLINE uint32_t execute(uint32_t seed) {
    struct machine m = {.running = 1};
    m.vars[0] = seed;
    while (m.running) {
        struct op op = program[m.pc++];
        handlers[op.code](&m, op.operand);
    }
    return m.vars[0];
}

uint32_t bench_run(uint32_t n) {
    uint32_t sum = 1;
    for (uint32_t i = 0; i < n; i++)
        sum = bench_mix(sum, execute(sum + i));
    return sum;
}
