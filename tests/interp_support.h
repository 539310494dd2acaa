/* What the interpreter's tests share: a host that gives memory, modules read from files, and short ways to call exports.
 *
 * The host moves a block whenever it grows, so that a stale base is found by the sanitizers, and can be told to refuse. Everything
 * of a fixture is freed by fixture_close. */
#ifndef TESTS_INTERP_SUPPORT_H
#define TESTS_INTERP_SUPPORT_H

#include <stdlib.h>
#include <string.h>

#include "interp/run.h"

struct fixture {
  struct wm_limits limits;
  struct wm_host host;
  struct wm_arena arena;
  struct wm_types types;
  struct wm_store *store;
  struct wm_module module;
  struct wm_instance *instance;
  struct wm_run *run;
  struct wm_error error;
  uint8_t *files[8];
  uint32_t file_count;
  uint32_t blocks;       /* not released yet */
  uint64_t refuse_above; /* bytes of one block that the host gives at most */
};

/* An empty store with the native limits, changed by the caller before fixture_store. */
void fixture_open(struct fixture *f);
void fixture_store(struct fixture *f);
void fixture_close(struct fixture *f);
/* Decodes tests/interp/NAME.wat's binary into *module. */
void fixture_decode(struct fixture *f, const char *name, struct wm_module *module);
/* Decodes, links with these imports, initialises, opens a run with a large budget. */
void fixture_load(struct fixture *f, const char *name, const struct wm_extern *imports);
/* The export's item. */
struct wm_extern fixture_export(const struct fixture *f, const struct wm_instance *instance, const char *name);
/* Starts an export with i32 (or i64) arguments. */
void fixture_start(struct fixture *f, const char *name, uint32_t count, const uint64_t *args);
/* Runs an export to its end and answers the state. */
enum wm_run_state fixture_call(struct fixture *f, const char *name, uint32_t count, const uint64_t *args);
/* First result's bits of a run that is done. */
uint64_t fixture_result(const struct fixture *f);

#define CALL(f, name, ...) \
  fixture_call((f), (name), sizeof((uint64_t[]){0, __VA_ARGS__}) / 8 - 1, (uint64_t[]){0, __VA_ARGS__} + 1)
#define START(f, name, ...) \
  fixture_start((f), (name), sizeof((uint64_t[]){0, __VA_ARGS__}) / 8 - 1, (uint64_t[]){0, __VA_ARGS__} + 1)

#endif
