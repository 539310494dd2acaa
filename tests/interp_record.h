/* A tap that keeps every event, and lists of expected events to compare with: shared by the tests of events. */
#ifndef TESTS_INTERP_RECORD_H
#define TESTS_INTERP_RECORD_H

#include "interp_support.h"

#define MOST 2048
struct record {
  struct wm_event events[MOST];
  uint32_t count, batches, largest;
  uint64_t clock;
  struct fixture *f;
  uint32_t needs;
  const uint8_t *watched; /* a byte looked at when an event arrives */
  uint8_t seen[MOST];
  bool stops; /* asks the run to stop at every batch */
};

/* Rows leave out the members at their end that are zero. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
struct expected {
  uint8_t kind;
  uint16_t flags;
  uint64_t address, length, detail; /* detail: also source and the first word of a value */
  uint32_t function;
  uint16_t memory, source_memory;
};

/* Empties the record and attaches it to the fixture's run. */
void record_open(struct record *r, struct fixture *f, uint32_t wants, uint32_t needs);
void record_expect(const struct record *r, const struct expected *expected, size_t count, int line);
#define EXPECT(r, ...) \
  record_expect((r), (const struct expected[]){__VA_ARGS__}, sizeof((const struct expected[]){__VA_ARGS__}) / sizeof(struct expected), __LINE__)

#endif
