/* What limits_everywhere.c exports: a buffer for the module, and rows to run. */
#ifndef TESTS_INTERP_LIMITS_EVERYWHERE_H
#define TESTS_INTERP_LIMITS_EVERYWHERE_H

#include <stdint.h>

#define LIMITS_FAILED UINT64_MAX

#define LIMITS_EXPORT __attribute__((visibility("default")))
LIMITS_EXPORT uint8_t *limits_module(void); /* 64 KiB */
LIMITS_EXPORT uint32_t limits_row_count(void);
/* How the row ended: instructions, state (8 bits), trap (8 bits); LIMITS_FAILED when it could not be run. */
LIMITS_EXPORT uint64_t limits_run(uint32_t row, uint32_t module_length);

#endif
