// Switch dispatch: a register machine interpreted through one dense switch, so every virtual instruction is a br_table.
// One unit: a program that fills an array with a linear congruence and then bubbles through it once, about 7,000
// virtual instructions.
#include "bench.h"

enum { CELLS = 512 };
enum { SET, MOVE, ADD, SUB, MULI, ADDI, ANDI, SHRI, LOAD, STORE, JLT, JGE, JMP, SWAP, XOR, STOP };
struct op {
    uint8_t code, a, b;
    int32_t imm;
};
static uint32_t cells[CELLS];

static const struct op program[] = {
    {SET, 1, 0, 0},                       // 0: i = 0
    {SET, 2, 0, CELLS},
    {MULI, 0, 0, 1664525},                // 2: r0 = r0 * k + c
    {ADDI, 0, 0, 1013904223},
    {MOVE, 3, 0, 0},
    {SHRI, 3, 3, 9},
    {STORE, 1, 3, 0},                     // cells[i] = r3
    {ADDI, 1, 1, 1},
    {JLT, 1, 2, 2},
    {SET, 1, 0, 0},                       // 9: one bubbling pass
    {ADDI, 2, 2, -1},
    {LOAD, 4, 1, 0},                      // 11
    {LOAD, 5, 1, 1},
    {JGE, 5, 4, 15},
    {SWAP, 1, 0, 0},
    {ADDI, 1, 1, 1},                      // 15
    {XOR, 6, 4, 0},
    {JLT, 1, 2, 11},
    {LOAD, 7, 2, 0},
    {ADD, 0, 7, 0},
    {ANDI, 6, 6, 0x7fffff},
    {SUB, 0, 6, 0},
    {JMP, 0, 0, 23},
    {STOP, 0, 0, 0},
};

static BENCH_NOINLINE uint32_t interpret(uint32_t seed) {
    uint32_t r[8] = {seed};
    uint32_t pc = 0;
    for (;;) {
        const struct op *op = &program[pc++];
        uint32_t imm = (uint32_t)op->imm;
        switch (op->code) {
        case SET: r[op->a] = imm; break;
        case MOVE: r[op->a] = r[op->b]; break;
        case ADD: r[op->a] += r[op->b]; break;
        case SUB: r[op->a] -= r[op->b]; break;
        case MULI: r[op->a] = r[op->b] * imm; break;
        case ADDI: r[op->a] = r[op->b] + imm; break;
        case ANDI: r[op->a] = r[op->b] & imm; break;
        case SHRI: r[op->a] = r[op->b] >> imm; break;
        case LOAD: r[op->a] = cells[(r[op->b] + imm) % CELLS]; break;
        case STORE: cells[r[op->a] % CELLS] = r[op->b]; break;
        case JLT: if (r[op->a] < r[op->b]) pc = imm; break;
        case JGE: if (r[op->a] >= r[op->b]) pc = imm; break;
        case JMP: pc = imm; break;
        case XOR: r[op->a] ^= r[op->b]; break;
        case SWAP: {
            uint32_t at = r[op->a] % (CELLS - 1), old = cells[at];
            cells[at] = cells[at + 1];
            cells[at + 1] = old;
            break;
        }
        default: return r[0];
        }
    }
}

uint32_t bench_run(uint32_t n) {
    uint32_t sum = 1;
    for (uint32_t i = 0; i < n; i++)
        sum = bench_mix(sum, interpret(sum + i));
    return sum;
}
