/* A host without an engine, for the tests of instrument/: a view of a run that the test sets up, memory for sinks, a writer
 * that keeps what it gets, and a pseudo-random sequence that is the same everywhere. Everything dies with the test's process;
 * host_close frees it so that leak checks stay silent. */
#ifndef WM_TESTS_INSTRUMENT_HOST_H
#define WM_TESTS_INSTRUMENT_HOST_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instrument/fanout.h"
#include "instrument/options.h"
#include "instrument/registry.h"

#define HOST_MEMORIES 4
#define HOST_BLOCKS 256

struct host {
  struct wm_view view;
  struct wm_memory_view memories[HOST_MEMORIES];
  struct wm_region regions[16], initialized[16];
  const char *const *names; /* of functions, by index */
  uint64_t now_ns, tick_ns; /* each reading of the clock moves it by one tick */
  uint64_t reserve_left;    /* bytes that sinks may still have */
  void *blocks[HOST_BLOCKS];
  size_t block_count;
  struct wm_writer writer;
  char *text;               /* terminated */
  size_t text_length;
  char message[256];
};

static inline struct host *host_of(const struct wm_view *view)
{
  return view->host;
}

static inline struct wm_memory_view host_memory(const struct wm_view *view, uint32_t index)
{
  return host_of(view)->memories[index];
}

static inline struct wm_text host_function_name(const struct wm_view *view, uint32_t function)
{
  const char *name = host_of(view)->names[function];
  return (struct wm_text){name, (uint32_t)strlen(name)};
}

/* In the tests every tenth byte of the file is an access. */
static inline uint32_t host_access_ordinal(const struct wm_view *view, uint32_t function, uint64_t offset)
{
  (void)view, (void)function;
  return offset % 10 == 0 ? (uint32_t)(offset / 10) : UINT32_MAX;
}

static inline struct wm_text host_trap_text(const struct wm_view *view, uint64_t trap)
{
  (void)view;
  return trap == 1 ? (struct wm_text){"unreachable", 11} : (struct wm_text){"out of bounds memory access", 27};
}

static inline uint64_t host_clock_ns(const struct wm_view *view)
{
  return host_of(view)->now_ns += host_of(view)->tick_ns;
}

static inline void *host_reserve(const struct wm_view *view, uint64_t bytes)
{
  struct host *host = host_of(view);
  if (bytes > host->reserve_left || host->block_count == HOST_BLOCKS)
    return NULL;
  host->reserve_left -= bytes;
  return host->blocks[host->block_count++] = calloc(1, bytes == 0 ? 1 : (size_t)bytes);
}

static inline void host_write(struct wm_writer *writer, const char *bytes, size_t length)
{
  struct host *host = writer->user;
  host->text = realloc(host->text, host->text_length + length + 1);
  memcpy(host->text + host->text_length, bytes, length);
  host->text_length += length;
  host->text[host->text_length] = '\0';
}

/* One memory of `pages` pages that can grow to `limit_pages`. */
static inline void host_open(struct host *host, uint64_t pages, uint64_t limit_pages)
{
  static const char *const names[] = {"f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7"};
  *host = (struct host){.names = names, .tick_ns = 1, .reserve_left = UINT64_C(1) << 30};
  host->memories[0] = (struct wm_memory_view){NULL, pages << 16, limit_pages << 16};
  host->view = (struct wm_view){
    .size = sizeof host->view, .host = host, .memory_count = 1, .function_count = 8, .frame_limit = 64,
    .memory = host_memory, .regions = host->regions, .initialized = host->initialized, .function_name = host_function_name,
    .access_ordinal = host_access_ordinal, .trap_text = host_trap_text, .clock_ns = host_clock_ns, .reserve = host_reserve};
  host->writer = (struct wm_writer){host_write, host};
  host_write(&host->writer, "", 0);
}

static inline void host_close(struct host *host)
{
  for (size_t i = 0; i < host->block_count; i++)
    free(host->blocks[i]);
  free(host->text);
}

static inline void host_clear_text(struct host *host)
{
  host->text_length = 0;
  host->text[0] = '\0';
}

static inline void host_region(struct host *host, uint8_t kind, uint64_t address, uint64_t length)
{
  host->regions[host->view.region_count++] = (struct wm_region){kind, 0, address, length};
}

static inline void host_initialized(struct host *host, uint8_t kind, uint64_t address, uint64_t length)
{
  host->initialized[host->view.initialized_count++] = (struct wm_region){kind, 0, address, length};
}

/* Adds `NAME:options` to a fanout; the test fails when that is refused. */
static inline void host_add(struct host *host, struct wm_fanout *fanout, const char *spec)
{
  struct wm_text name;
  struct wm_option options[WM_OPTIONS_MAX];
  uint32_t count;
  cr_assert(wm_option_split((struct wm_text){spec, (uint32_t)strlen(spec)}, &name, options, &count));
  const struct wm_sink_class *class_ = wm_sink_find(name);
  cr_assert_not_null(class_, "%s", spec);
  cr_assert(wm_fanout_add(fanout, class_, options, count, host->message, sizeof host->message), "%s: %s", spec, host->message);
  wm_fanout_begin(fanout, fanout->count - 1, &host->writer);
}

/* The reason why `NAME:options` is refused. */
static inline const char *host_refusal(struct host *host, const char *spec)
{
  struct wm_text name;
  struct wm_option options[WM_OPTIONS_MAX];
  uint32_t count;
  struct wm_fanout fanout;
  wm_fanout_open(&fanout, &host->view);
  cr_assert(wm_option_split((struct wm_text){spec, (uint32_t)strlen(spec)}, &name, options, &count));
  cr_assert_not(wm_fanout_add(&fanout, wm_sink_find(name), options, count, host->message, sizeof host->message), "%s", spec);
  return host->message;
}

/* The report of sink `index`; valid until the next. */
static inline const char *host_report(struct host *host, struct wm_fanout *fanout, uint32_t index, struct wm_outcome outcome)
{
  host_clear_text(host);
  wm_fanout_finish(fanout, index, &outcome, &host->writer);
  return host->text;
}

static inline uint64_t host_random(uint64_t *state)
{
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

#endif
