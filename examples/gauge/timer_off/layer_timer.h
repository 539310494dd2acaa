// The layer timer of the shipped gauge: nothing. Its calls inline away, so that the component has no clock, no imports and
// no extra exports. timer_on/layer_timer.h is the other one; the include path chooses.
#ifndef GAUGE_LAYER_TIMER_H
#define GAUGE_LAYER_TIMER_H

#include "gauge.h"

static inline double layer_timer_begin(void) {
    return 0;
}

static inline void layer_timer_end(enum layer layer, double start) {
    (void)layer;
    (void)start;
}

#endif
