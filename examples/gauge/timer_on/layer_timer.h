// The layer timer of the timed copy, for measurement only: a clock from the benchmark host, and one accumulator a layer, in
// milliseconds and in the order of enum layer. The host finds them through the two exports and may set them to zero.
// Included by gauge.c alone, as it defines what it exports.
#ifndef GAUGE_LAYER_TIMER_H
#define GAUGE_LAYER_TIMER_H

#include "gauge.h"

__attribute__((import_module("qip_bench"), import_name("now_ms"))) double now_ms(void);

static double totals_ms[LAYER_COUNT];

EXPORT("layer_times_ptr") uint32_t layer_times_ptr(void) {
    return ADDRESS(totals_ms);
}

EXPORT("layer_times_len") uint32_t layer_times_len(void) {
    return LAYER_COUNT;
}

static inline double layer_timer_begin(void) {
    return now_ms();
}

static inline void layer_timer_end(enum layer layer, double start) {
    totals_ms[layer] += now_ms() - start;
}

#endif
