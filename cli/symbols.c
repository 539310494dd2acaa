/* Names of functions and places of accesses; see symbols.h. Everything is made lazily: a run that asks for nothing pays nothing. */
#include "cli/symbols.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/buffer.h"
#include "cli/message.h"
#include "cli/twin.h"
#include "decoder/names.h"
#include "decoder/walk.h"

struct wm_access_list {
  uint64_t *offsets; /* ascending */
  uint32_t count;
  bool is_known;
};

void wm_symbols_open(struct wm_symbols *symbols, const struct wm_module *module)
{
  *symbols = (struct wm_symbols){.module = module};
}

int wm_symbols_take_twin(struct wm_symbols *symbols, const char *path, const struct wm_limits *limits)
{
  symbols->twin = wm_allocate(1, sizeof *symbols->twin);
  return wm_twin_load(symbols->twin, path, symbols->module, limits);
}

/* ---- Names ------------------------------------------------------------------------------------------------------ */

struct wm_text wm_symbols_spell(uint32_t function, char spelling[32])
{
  int length = snprintf(spelling, 32, "wasm-function[%" PRIu32 "]", function);
  return (struct wm_text){spelling, (uint32_t)length};
}

static struct wm_text spelled_name(struct wm_symbols *symbols, uint32_t function)
{
  if (function >= symbols->module->func_count)
    return (struct wm_text){"?", 1};
  if (symbols->spelled == NULL) {
    symbols->spelled = wm_allocate(symbols->module->func_count, sizeof *symbols->spelled);
    memset(symbols->spelled, 0, symbols->module->func_count * sizeof *symbols->spelled);
  }
  if (symbols->spelled[function] == NULL)
    wm_symbols_spell(function, symbols->spelled[function] = wm_allocate(32, 1));
  return (struct wm_text){symbols->spelled[function], (uint32_t)strlen(symbols->spelled[function])};
}

static struct wm_text section_name(const struct wm_module *module, uint32_t function)
{
  struct wm_name name = wm_names_function(module, function);
  return (struct wm_text){(const char *)name.bytes, name.length};
}

struct wm_text wm_symbols_name(struct wm_symbols *symbols, uint32_t function)
{
  struct wm_text name = section_name(symbols->module, function);
  if (name.length == 0 && symbols->twin != NULL)
    name = section_name(&symbols->twin->module, function);
  return name.length > 0 ? name : spelled_name(symbols, function);
}

const char *wm_symbols_source(const struct wm_symbols *symbols)
{
  for (uint32_t i = 0; i < symbols->module->func_count; i++)
    if (section_name(symbols->module, i).length > 0)
      return "name section";
  return symbols->twin != NULL ? "twin" : "none";
}

/* ---- Accesses --------------------------------------------------------------------------------------------------- */

static void find_accesses(struct wm_access_list *list, const struct wm_module *module, uint32_t function)
{
  size_t scratch_bytes = (size_t)wm_walk_scratch(&module->funcs[function]);
  struct wm_arena scratch = {wm_allocate(scratch_bytes, 1), 0, scratch_bytes};
  struct wm_walk walk;
  size_t capacity = 0;
  if (wm_walk_begin(&walk, module, function, &scratch)) {
    while (wm_walk_next(&walk)) {
      if (wm_opcodes[walk.insn.op].access == WM_ACCESS_NONE)
        continue;
      if (list->count == capacity) {
        capacity = capacity == 0 ? 16 : capacity * 2;
        list->offsets = wm_reallocate(list->offsets, capacity, sizeof *list->offsets);
      }
      list->offsets[list->count++] = walk.insn.offset;
    }
  }
  free(scratch.base);
}

uint32_t wm_symbols_access_ordinal(struct wm_symbols *symbols, uint32_t function, uint64_t offset)
{
  const struct wm_module *module = symbols->module;
  if (function >= module->func_count || module->funcs[function].is_import)
    return UINT32_MAX;
  if (symbols->accesses == NULL) {
    symbols->accesses = wm_allocate(module->func_count, sizeof *symbols->accesses);
    memset(symbols->accesses, 0, module->func_count * sizeof *symbols->accesses);
  }
  struct wm_access_list *list = &symbols->accesses[function];
  if (!list->is_known)
    find_accesses(list, module, function);
  list->is_known = true;
  uint32_t low = 0, high = list->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (list->offsets[middle] < offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low < list->count && list->offsets[low] == offset ? low : UINT32_MAX;
}

void wm_symbols_close(struct wm_symbols *symbols)
{
  for (uint32_t i = 0; symbols->module != NULL && i < symbols->module->func_count; i++) {
    if (symbols->spelled != NULL)
      free(symbols->spelled[i]);
    if (symbols->accesses != NULL)
      free(symbols->accesses[i].offsets);
  }
  free(symbols->spelled);
  free(symbols->accesses);
  if (symbols->twin != NULL)
    wm_twin_free(symbols->twin);
  free(symbols->twin);
  *symbols = (struct wm_symbols){0};
}
