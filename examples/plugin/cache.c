/* A sink outside the tree: a data cache that the run's accesses go through, with least-recently-used replacement.
 *
 * wasmeter run --sink ./cache.so:size=32768,ways=8,line=64 COMPONENT.wasm
 * Needs two headers of wasmeter and libc. The report is CSV: accesses of lines, hits, misses; writes allocate. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instrument/sink.h"

struct cache {
  uint64_t line, ways, sets, clock, hits, misses;
  struct { uint64_t tag, used; } *slots; /* sets * ways; used 0: empty */
};

static void touch(struct cache *cache, uint64_t line)
{
  size_t first = (size_t)(line % cache->sets * cache->ways), oldest = first;
  for (size_t i = first; i < first + cache->ways; i++) {
    if (cache->slots[i].used != 0 && cache->slots[i].tag == line) {
      cache->slots[i].used = ++cache->clock;
      cache->hits++;
      return;
    }
    if (cache->slots[i].used < cache->slots[oldest].used)
      oldest = i;
  }
  cache->slots[oldest].tag = line;
  cache->slots[oldest].used = ++cache->clock;
  cache->misses++;
}

static void touch_range(struct cache *cache, uint16_t memory, uint64_t address, uint64_t length)
{
  for (uint64_t line = address / cache->line; line <= (address + length - 1) / cache->line; line++)
    touch(cache, line | (uint64_t)memory << 48);
}

static void *open_cache(const struct wm_view *view, const struct wm_option *options, uint32_t option_count, uint32_t *wants,
                        uint32_t *needs, char *message, size_t message_bytes)
{
  struct { const char *key; uint64_t value; } numbers[] = {{"size", 32768}, {"ways", 8}, {"line", 64}};
  for (uint32_t i = 0; i < option_count; i++) {
    struct wm_text key = options[i].key, value = options[i].value;
    size_t n = 0;
    while (n < 3 && (key.length != strlen(numbers[n].key) || memcmp(key.bytes, numbers[n].key, key.length) != 0))
      n++;
    char digits[12] = "", *end = digits;
    if (n < 3 && value.length < sizeof digits)
      memcpy(digits, value.bytes == NULL ? "" : value.bytes, value.length);
    uint64_t number = digits[0] >= '0' && digits[0] <= '9' ? strtoull(digits, &end, 10) : 0;
    if (number == 0 || *end != '\0' || number > UINT32_MAX) {
      snprintf(message, message_bytes, "option \"%.*s\": want size=, ways= or line= and a number", (int)key.length, key.bytes);
      return NULL;
    }
    numbers[n].value = number;
  }
  struct cache *cache = view->reserve(view, sizeof *cache);
  uint64_t sets = numbers[0].value / numbers[1].value / numbers[2].value;
  if (cache == NULL || sets == 0 ||
      (cache->slots = view->reserve(view, sets * numbers[1].value * sizeof *cache->slots)) == NULL) {
    snprintf(message, message_bytes, "%s", sets == 0 ? "size is less than ways * line" : "no memory");
    return NULL;
  }
  cache->ways = numbers[1].value, cache->line = numbers[2].value, cache->sets = sets;
  *wants = WM_WANT_ACCESSES;
  *needs = 0;
  return cache;
}

static void take_events(void *state, const struct wm_event *batch, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++) {
    if (batch[i].kind == WM_EVENT_COPY)
      touch_range(state, batch[i].source_memory, batch[i].source, batch[i].length);
    touch_range(state, batch[i].memory, batch[i].address, batch[i].length);
  }
}

static void finish(void *state, const struct wm_view *view, const struct wm_outcome *outcome, struct wm_writer *writer)
{
  const struct cache *cache = state;
  char text[160];
  (void)view, (void)outcome;
  int length = snprintf(text, sizeof text, "metric,value\naccesses,%llu\nhits,%llu\nmisses,%llu\n",
                        (unsigned long long)(cache->hits + cache->misses), (unsigned long long)cache->hits,
                        (unsigned long long)cache->misses);
  writer->write(writer, text, (size_t)length);
}

const struct wm_sink_class wm_sink_plugin = {
  .abi = WM_SINK_ABI, .size = sizeof(struct wm_sink_class), .name = "cache", .summary = "hits and misses of a data cache",
  .options = "size=bytes (32768)\nways=lines a set holds (8)\nline=bytes (64)\n",
  .open = open_cache, .events = take_events, .finish = finish,
};
