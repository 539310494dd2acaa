/* A sink outside the tree: a data cache that the run's accesses go through, with least-recently-used replacement.
 *
 * wasmeter run --sink ./cache.so:size=32768,ways=8,line=64 COMPONENT.wasm
 * Needs two headers of wasmeter and libc. The report is CSV: accesses of lines, hits, misses; writes allocate. */
#include <stdio.h>
#include <string.h>

#include "instrument/sink.h"

struct cache {
  uint64_t line, ways, sets, clock, hits, misses;
  struct slot { uint64_t tag, used; } slots[]; /* sets * ways; used 0: empty */
};

static void touch(struct cache *cache, uint16_t memory, uint64_t address, uint64_t length)
{
  for (uint64_t line = address / cache->line; line <= (address + length - 1) / cache->line; line++) {
    uint64_t tag = line | (uint64_t)memory << 48;
    struct slot *slot = &cache->slots[tag % cache->sets * cache->ways], *end = slot + cache->ways, *oldest = slot;
    for (; slot < end && (slot->used == 0 || slot->tag != tag); slot++)
      oldest = slot->used < oldest->used ? slot : oldest;
    *(slot < end ? &cache->hits : &cache->misses) += 1;
    *(slot < end ? slot : oldest) = (struct slot){tag, ++cache->clock};
  }
}

/* Is it this option, with a number from 1 to 999,999,999? */
static bool take(struct wm_option option, const char *key, uint64_t *number)
{
  struct wm_text text = option.value;
  if (option.key.length != strlen(key) || memcmp(option.key.bytes, key, option.key.length) != 0 || text.length > 9)
    return false;
  uint32_t i = 0;
  for (*number = 0; i < text.length && text.bytes[i] >= '0' && text.bytes[i] <= '9'; i++)
    *number = *number * 10 + (uint64_t)(text.bytes[i] - '0');
  return i == text.length && *number > 0;
}

static void *open_cache(const struct wm_view *view, const struct wm_option *options, uint32_t option_count, uint32_t *wants,
                        uint32_t *needs, char *message, size_t message_bytes)
{
  uint64_t size = 32768, ways = 8, line = 64;
  const char *problem = NULL;
  for (uint32_t i = 0; i < option_count; i++)
    if (!take(options[i], "size", &size) && !take(options[i], "ways", &ways) && !take(options[i], "line", &line))
      problem = "want size=, ways= or line= and a number";
  if (problem == NULL && (size % (ways * line) != 0 || (line & (line - 1)) != 0))
    problem = "size must be a whole number of sets of ways * line bytes, line a power of two";
  struct cache *cache = problem == NULL ? view->reserve(view, sizeof *cache + size / line * sizeof *cache->slots) : NULL;
  if (cache == NULL) {
    snprintf(message, message_bytes, "%s", problem != NULL ? problem : "no memory");
    return NULL;
  }
  cache->line = line, cache->ways = ways, cache->sets = size / line / ways;
  *wants = WM_WANT_ACCESSES;
  *needs = 0;
  return cache;
}

static void take_events(void *state, const struct wm_event *batch, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++) {
    if (batch[i].kind == WM_EVENT_COPY)
      touch(state, batch[i].source_memory, batch[i].source, batch[i].length);
    touch(state, batch[i].memory, batch[i].address, batch[i].length);
  }
}

static void finish(void *state, const struct wm_view *view, const struct wm_outcome *outcome, struct wm_writer *writer)
{
  const struct cache *cache = state;
  unsigned long long hits = cache->hits, misses = cache->misses;
  char text[160];
  (void)view, (void)outcome;
  int length = snprintf(text, sizeof text, "metric,value\naccesses,%llu\nhits,%llu\nmisses,%llu\n", hits + misses, hits, misses);
  writer->write(writer, text, (size_t)length);
}

const struct wm_sink_class wm_sink_plugin = {
  .abi = WM_SINK_ABI, .size = sizeof(struct wm_sink_class), .name = "cache", .summary = "hits and misses of a data cache",
  .options = "size=bytes (32768)\nways=lines a set holds (8)\nline=bytes (64)\n",
  .open = open_cache, .events = take_events, .finish = finish,
};
