/* Breakpoints and watchpoints; see step_points.h. */
#include "cli/step_points.h"

#include <stdlib.h>
#include <string.h>

void wm_points_free(struct wm_points *points)
{
  while (points->count > 0)
    wm_points_delete(points, points->items[0].number);
  free(points->items);
  free(points->sites);
}

static char *copy_text(const char *text)
{
  size_t bytes = strlen(text) + 1;
  return memcpy(wm_allocate(bytes, 1), text, bytes);
}

struct wm_point *wm_points_add(struct wm_points *points, uint8_t kind, const char *shown)
{
  points->items = wm_reallocate(points->items, points->count + (size_t)1, sizeof *points->items);
  struct wm_point *point = &points->items[points->count++];
  *point = (struct wm_point){.number = ++points->next_number, .kind = kind, .is_enabled = true, .shown = copy_text(shown)};
  return point;
}

struct wm_point *wm_points_find(struct wm_points *points, uint32_t number)
{
  for (uint32_t i = 0; i < points->count; i++)
    if (points->items[i].number == number)
      return &points->items[i];
  return NULL;
}

void wm_points_delete(struct wm_points *points, uint32_t number)
{
  struct wm_point *point = wm_points_find(points, number);
  if (point == NULL)
    return;
  free(point->places);
  free(point->shown);
  free(point->condition);
  struct wm_point *end = points->items + --points->count;
  memmove(point, point + 1, (size_t)((char *)end - (char *)point));
}

/* ---- Watching memory -------------------------------------------------------------------------------------------- */

static bool watches(const struct wm_point *point, bool is_read)
{
  return point->kind == WM_POINT_ACCESS || point->kind == (is_read ? WM_POINT_READ : WM_POINT_WATCH);
}

/* The first byte of a watched range that an access meets, and how many. */
static uint32_t overlap(const struct wm_point *point, uint32_t memory, uint64_t address, uint64_t length, uint64_t *first)
{
  if (point->index != memory || address >= point->address + point->length || point->address >= address + length)
    return 0;
  uint64_t start = address > point->address ? address : point->address;
  uint64_t end = address + length < point->address + point->length ? address + length : point->address + point->length;
  *first = start;
  return end - start > WM_HIT_BYTES ? WM_HIT_BYTES : (uint32_t)(end - start);
}

static void copy_bytes(const struct wm_points *points, uint8_t *to, const struct wm_watch_hit *hit)
{
  struct wm_memory_bytes memory = wm_instance_memory(points->target->instance, hit->index);
  memcpy(to, memory.base + hit->shown_address, hit->shown_length);
}

/* One access, told before it and after it: the run stops behind the instruction. */
static void check_access(struct wm_points *points, const struct wm_event *event, bool is_read)
{
  uint32_t memory = is_read && event->kind == WM_EVENT_COPY ? event->source_memory : event->memory;
  uint64_t address = is_read && event->kind == WM_EVENT_COPY ? event->source : event->address;
  for (uint32_t i = 0; i < points->count; i++) {
    const struct wm_point *point = &points->items[i];
    uint64_t first;
    if (!point->is_enabled || point->kind == WM_POINT_BREAK || point->is_global || !watches(point, is_read))
      continue;
    uint32_t length = overlap(point, memory, address, event->length, &first);
    if (length == 0 || points->hit_point != 0)
      continue;
    points->hit_point = point->number;
    points->hit = (struct wm_watch_hit){.is_read = is_read, .function = event->function, .offset = event->offset, .index = memory,
                                        .address = address, .length = event->length, .shown_address = first, .shown_length = length};
    copy_bytes(points, points->hit.before, &points->hit);
    wm_run_ask_stop(points->target->run);
  }
}

static void watch(void *user, const struct wm_event *event)
{
  struct wm_points *points = user;
  if (event->phase == WM_PHASE_AFTER) {
    if (points->hit_point != 0)
      copy_bytes(points, points->hit.after, &points->hit);
    return;
  }
  if (event->kind != WM_EVENT_LOAD)
    check_access(points, event, false);
  if (event->kind == WM_EVENT_LOAD || event->kind == WM_EVENT_COPY)
    check_access(points, event, true);
}

/* ---- Arming ----------------------------------------------------------------------------------------------------- */

static int compare_sites(const void *a, const void *b)
{
  const struct wm_site *x = a, *y = b;
  return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static void add_site(struct wm_points *points, size_t *capacity, const struct wm_place *place, bool is_goal)
{
  if (points->site_count == *capacity) {
    *capacity = *capacity == 0 ? 16 : *capacity * 2;
    points->sites = wm_reallocate(points->sites, *capacity, sizeof *points->sites);
  }
  points->sites[points->site_count++] = (struct wm_site){.offset = place->offset, .function = place->function, .ordinal = place->ordinal, .is_goal = is_goal};
}

static void add_goals(struct wm_points *points, size_t *capacity, struct wm_code *code, uint32_t function, uint32_t first, uint32_t end)
{
  struct wm_walk walk;
  if (function == WM_NO_INDEX || !wm_code_walk(code, &walk, function, first))
    return;
  while (wm_walk_next(&walk) && walk.insn_number < end)
    add_site(points, capacity, &(struct wm_place){function, walk.insn_number, walk.insn.offset}, true);
}

/* One site a place: a goal stays one. */
static void merge_sites(struct wm_points *points)
{
  if (points->site_count == 0)
    return;
  qsort(points->sites, points->site_count, sizeof *points->sites, compare_sites);
  uint32_t kept = 0;
  for (uint32_t i = 1; i < points->site_count; i++)
    if (points->sites[i].offset == points->sites[kept].offset)
      points->sites[kept].is_goal |= points->sites[i].is_goal;
    else
      points->sites[++kept] = points->sites[i];
  points->site_count = kept + 1;
}

bool wm_points_arm(struct wm_points *points, struct wm_history *history, struct wm_code *code, uint32_t function, uint32_t first, uint32_t end)
{
  size_t capacity = 0;
  free(points->sites);
  points->sites = NULL;
  points->site_count = 0;
  points->hit_point = 0;
  points->target = history->target;
  points->is_armed = true;
  uint32_t wants = 0;
  for (uint32_t i = 0; i < points->count; i++) {
    const struct wm_point *point = &points->items[i];
    if (!point->is_enabled)
      continue;
    for (uint32_t k = 0; k < point->place_count; k++)
      add_site(points, &capacity, &point->places[k], false);
    if (point->kind == WM_POINT_BREAK || point->is_global)
      continue;
    if (watches(point, true))
      wants |= WM_WANT(WM_EVENT_LOAD) | WM_WANT(WM_EVENT_COPY);
    if (watches(point, false))
      wants |= WM_WANT_ACCESSES & ~WM_WANT(WM_EVENT_LOAD);
  }
  add_goals(points, &capacity, code, function, first, end);
  merge_sites(points);
  for (uint32_t i = 0; i < points->site_count; i++)
    wm_points_lower(points, &points->sites[i]);
  wm_history_watch(history, wants, WM_NEED_IMMEDIATE | WM_NEED_SITE, wants != 0 ? watch : NULL, points);
  return points->site_count > 0 || wants != 0;
}

void wm_points_disarm(struct wm_points *points, struct wm_history *history)
{
  for (uint32_t i = 0; i < points->site_count; i++)
    wm_points_lift(&points->sites[i]);
  points->site_count = 0;
  points->is_armed = false;
  wm_history_watch(history, 0, 0, NULL, NULL);
}

struct wm_site *wm_points_site(struct wm_points *points, uint64_t offset)
{
  uint32_t low = 0, high = points->site_count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (points->sites[middle].offset < offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low < points->site_count && points->sites[low].offset == offset ? &points->sites[low] : NULL;
}

void wm_points_lift(struct wm_site *site)
{
  wm_breakpoint_remove(&site->breakpoint);
}

void wm_points_lower(struct wm_points *points, struct wm_site *site)
{
  wm_breakpoint_insert(&site->breakpoint, points->target->instance, site->function, site->ordinal);
}
