/* See interp_record.h. */
#include "interp_record.h"

#include <criterion/criterion.h>

static void deliver(void *user, const struct wm_event *batch, uint32_t count)
{
  struct record *r = user;
  r->batches++;
  if (count > r->largest)
    r->largest = count;
  for (uint32_t i = 0; i < count && r->count < MOST; i++) {
    if (r->watched != NULL)
      r->seen[r->count] = *r->watched;
    r->events[r->count++] = batch[i];
  }
  if (r->stops)
    wm_run_ask_stop(r->f->run);
}

static uint64_t clock_ns(void *user)
{
  return ++((struct record *)user)->clock;
}

void record_open(struct record *r, struct fixture *f, uint32_t wants, uint32_t needs)
{
  memset(r, 0, sizeof *r);
  r->f = f;
  r->needs = needs;
  struct wm_tap tap = {.wants = wants, .needs = needs, .deliver = deliver, .clock_ns = clock_ns, .user = r};
  wm_run_set_tap(f->run, &tap);
}

void record_expect(const struct record *r, const struct expected *expected, size_t count, int line)
{
  cr_expect_eq(r->count, count, "line %d: %u events, expected %u", line, r->count, (unsigned)count);
  for (size_t i = 0; i < count && i < r->count; i++) {
    const struct wm_event *e = &r->events[i];
    cr_expect_eq(e->kind, expected[i].kind, "line %d, event %u: kind %u", line, (unsigned)i, e->kind);
    cr_expect_eq(e->flags, expected[i].flags, "line %d, event %u: flags %u", line, (unsigned)i, e->flags);
    cr_expect_eq(e->address, expected[i].address, "line %d, event %u: address %llu", line, (unsigned)i, (unsigned long long)e->address);
    cr_expect_eq(e->length, expected[i].length, "line %d, event %u: length %llu", line, (unsigned)i, (unsigned long long)e->length);
    bool has_site = (r->needs & WM_NEED_SITE) != 0 || e->kind == WM_EVENT_CALL || e->kind == WM_EVENT_RETURN || e->kind == WM_EVENT_TRAP;
    bool has_detail = e->kind != WM_EVENT_LOAD && e->kind != WM_EVENT_BRANCH && e->kind != WM_EVENT_SET_GLOBAL0;
    has_detail &= e->kind != WM_EVENT_STORE || (r->needs & WM_NEED_VALUE) != 0;
    if (has_detail)
      cr_expect_eq(e->detail, expected[i].detail, "line %d, event %u: detail %llx", line, (unsigned)i, (unsigned long long)e->detail);
    if (has_site)
      cr_expect_eq(e->function, expected[i].function, "line %d, event %u: function %u", line, (unsigned)i, e->function);
    cr_expect_eq(e->memory, expected[i].memory, "line %d, event %u: memory %u", line, (unsigned)i, e->memory);
    if (e->kind == WM_EVENT_COPY)
      cr_expect_eq(e->source_memory, expected[i].source_memory, "line %d, event %u: source memory %u", line, (unsigned)i, e->source_memory);
  }
}
