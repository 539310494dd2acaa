// f64 chain: five bodies under gravity: long dependent sequences of f64 operations with a square root and a division,
// all in memory-resident structures. One unit: 100 steps of a symplectic integrator.
#include "bench.h"

enum { BODIES = 5, STEPS = 100 };
struct body {
    double x, y, z, vx, vy, vz, mass;
};
static struct body bodies[BODIES];

static void place(void) {
    uint32_t state = 0x7f4a7c15u;
    for (int i = 0; i < BODIES; i++) {
        double *field = &bodies[i].x;
        for (int k = 0; k < 6; k++)
            field[k] = ((double)(bench_random(&state) & 0xffff) / 32768.0 - 1.0) * (k < 3 ? 8.0 * (i + 1) : 0.25);
        bodies[i].mass = i ? 0.5 / i : 30.0;
    }
}

static BENCH_NOINLINE void advance(double dt) {
    for (int i = 0; i < BODIES; i++) {
        struct body *p = &bodies[i];
        for (int j = i + 1; j < BODIES; j++) {
            struct body *q = &bodies[j];
            double dx = p->x - q->x, dy = p->y - q->y, dz = p->z - q->z;
            double square = dx * dx + dy * dy + dz * dz + 0.01;
            double pull = dt / (square * __builtin_sqrt(square));
            p->vx -= dx * q->mass * pull;
            p->vy -= dy * q->mass * pull;
            p->vz -= dz * q->mass * pull;
            q->vx += dx * p->mass * pull;
            q->vy += dy * p->mass * pull;
            q->vz += dz * p->mass * pull;
        }
    }
    for (int i = 0; i < BODIES; i++) {
        bodies[i].x += dt * bodies[i].vx;
        bodies[i].y += dt * bodies[i].vy;
        bodies[i].z += dt * bodies[i].vz;
    }
}

uint32_t bench_run(uint32_t n) {
    uint32_t sum = 1;
    place();
    for (uint32_t i = 0; i < n; i++) {
        for (int step = 0; step < STEPS; step++)
            advance(0.001);
        double x = bodies[sum % BODIES].x;
        sum = bench_mix(sum, x > -30000.0 && x < 30000.0 ? (uint32_t)(int32_t)(x * 65536.0) : 7);
    }
    return sum;
}
