/* Where to stop: breakpoints on instructions, watchpoints on memory ranges and globals; conditions, hit counts, ignore counts.
 *
 * While a run is armed, every place stands in the step stream as a breakpoint, and memory is watched through the history's events: the run
 * stops exactly before the instruction of a breakpoint and exactly after the access of a watchpoint. A global is watched at the
 * instructions that name it. Points own their texts. */
#ifndef WM_CLI_STEP_POINTS_H
#define WM_CLI_STEP_POINTS_H

#include "cli/step_code.h"
#include "cli/step_history.h"

enum wm_point_kind { WM_POINT_BREAK, WM_POINT_WATCH, WM_POINT_READ, WM_POINT_ACCESS };

struct wm_point {
  uint32_t number;
  uint8_t kind;              /* enum wm_point_kind */
  bool is_enabled, is_temporary, is_global;
  struct wm_place *places;   /* breakpoint: one; watched global: all that access it */
  uint32_t place_count;
  uint32_t index;            /* memory or global */
  uint64_t address, length;  /* watched memory */
  char *shown, *condition;   /* condition may be NULL */
  uint64_t hits, ignore;
};

#define WM_HIT_BYTES 16
struct wm_watch_hit {
  bool is_read, is_global;
  uint32_t function;
  uint64_t offset;
  uint32_t index;            /* memory or global */
  uint64_t address, length;  /* what was accessed, all of it */
  uint64_t shown_address;    /* the part that is watched, at most WM_HIT_BYTES of it */
  uint32_t shown_length;
  uint8_t before[WM_HIT_BYTES], after[WM_HIT_BYTES];
};

struct wm_site { uint64_t offset; uint32_t function, ordinal; bool is_goal; struct wm_breakpoint breakpoint; };

struct wm_points {
  struct wm_point *items;
  uint32_t count, next_number;
  bool is_armed;
  /* While armed. */
  struct wm_site *sites; /* by offset */
  uint32_t site_count;
  struct wm_watch_hit hit;
  uint32_t hit_point;    /* number, 0: none */
  struct wm_target *target;
};

void wm_points_free(struct wm_points *points);
struct wm_point *wm_points_add(struct wm_points *points, uint8_t kind, const char *shown);
struct wm_point *wm_points_find(struct wm_points *points, uint32_t number);
void wm_points_delete(struct wm_points *points, uint32_t number);

/* Puts all enabled points in place, and goals: instructions of `function` from `first` up to `end` (WM_NO_INDEX: none). True: something
 * is there, so that the run must use the step stream. */
bool wm_points_arm(struct wm_points *points, struct wm_history *history, struct wm_code *code, uint32_t function, uint32_t first, uint32_t end);
void wm_points_disarm(struct wm_points *points, struct wm_history *history);
struct wm_site *wm_points_site(struct wm_points *points, uint64_t offset);
/* Lifts what stands at a site, so that the run can go on from there, and puts it back. */
void wm_points_lift(struct wm_site *site);
void wm_points_lower(struct wm_points *points, struct wm_site *site);

#endif
