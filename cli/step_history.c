/* Snapshots, and running between them; see step_history.h. */
#define _POSIX_C_SOURCE 200809L
#include "cli/step_history.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIECE 4096u
#define LEAST_SPACING (UINT64_C(1) << 20)
#define MOST_SNAPSHOTS 256u
#define BYTES_AN_INSTRUCTION 8u /* of contents: comparing them costs about as much as running */

struct piece { /* shared by snapshots */
  uint32_t owners;
  uint8_t bytes[PIECE];
};

struct contents { /* of one range */
  uint64_t length;
  struct piece **pieces; /* NULL: all zero */
};

struct wm_snapshot {
  uint64_t instruction;
  uint32_t edits;
  bool has_tally;
  struct wm_tally tally;
  struct wm_target_state state;
  uint8_t *run;
  uint64_t run_bytes;
  struct contents *ranges;
};

static const uint8_t zeroes[PIECE];

/* ---- Interrupts ------------------------------------------------------------------------------------------------- */

static struct wm_run *volatile interrupted_run;
static volatile sig_atomic_t is_interrupted, is_tool_interactive;

static void interrupt(int signal_number)
{
  (void)signal_number;
  if (is_interrupted && !is_tool_interactive)
    _exit(130); /* asked twice */
  is_interrupted = 1;
  wm_run_ask_stop(interrupted_run);
}

void wm_history_catch_interrupt(const struct wm_target *target, bool is_interactive)
{
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = interrupt;
  sigemptyset(&action.sa_mask);
  interrupted_run = target->run;
  is_tool_interactive = is_interactive;
  sigaction(SIGINT, &action, NULL);
}

bool wm_history_is_interrupted(void)
{
  return is_interrupted != 0;
}

void wm_history_clear_interrupt(void)
{
  is_interrupted = 0;
}

/* ---- Pieces ----------------------------------------------------------------------------------------------------- */

static uint64_t piece_count(uint64_t length)
{
  return (length + PIECE - 1) / PIECE;
}

static size_t piece_bytes(uint64_t length, uint64_t number)
{
  uint64_t left = length - number * PIECE;
  return left < PIECE ? (size_t)left : PIECE;
}

static void drop_piece(struct wm_history *history, struct piece *piece)
{
  if (piece != NULL && --piece->owners == 0) {
    free(piece);
    history->held_bytes -= sizeof *piece;
  }
}

/* The bytes as a piece: that of the snapshot before when they are the same. */
static struct piece *take_piece(struct wm_history *history, const uint8_t *bytes, size_t length, struct piece *before, bool has_before)
{
  if (has_before && memcmp(before == NULL ? zeroes : before->bytes, bytes, length) == 0) {
    if (before != NULL)
      before->owners++;
    return before;
  }
  if (memcmp(bytes, zeroes, length) == 0)
    return NULL;
  struct piece *piece = wm_allocate(1, sizeof *piece);
  piece->owners = 1;
  memcpy(piece->bytes, bytes, length);
  memset(piece->bytes + length, 0, PIECE - length);
  history->held_bytes += sizeof *piece;
  return piece;
}

static void take_contents(struct wm_history *history, struct contents *contents, uint32_t number, const struct wm_snapshot *before)
{
  struct wm_state_range range = {NULL, 0};
  wm_store_range(history->target->session.store, number, &range);
  const struct contents *old = before != NULL ? &before->ranges[number] : NULL;
  uint64_t count = piece_count(range.length);
  contents->length = range.length;
  contents->pieces = wm_allocate((size_t)count, sizeof *contents->pieces);
  history->held_bytes += count * sizeof *contents->pieces;
  for (uint64_t i = 0; i < count; i++) {
    size_t length = piece_bytes(range.length, i);
    bool has_before = old != NULL && i < piece_count(old->length) && piece_bytes(old->length, i) == length;
    contents->pieces[i] = take_piece(history, range.base + i * PIECE, length, has_before ? old->pieces[i] : NULL, has_before);
  }
}

static void put_contents(struct wm_history *history, const struct contents *contents, uint32_t number)
{
  struct wm_state_range range = {NULL, 0};
  wm_store_range(history->target->session.store, number, &range);
  for (uint64_t i = 0; i < piece_count(contents->length); i++) {
    size_t length = piece_bytes(contents->length, i);
    const uint8_t *bytes = contents->pieces[i] != NULL ? contents->pieces[i]->bytes : zeroes;
    if (memcmp(range.base + i * PIECE, bytes, length) != 0)
      memcpy(range.base + i * PIECE, bytes, length);
  }
}

/* ---- Snapshots -------------------------------------------------------------------------------------------------- */

static void drop_snapshot(struct wm_history *history, struct wm_snapshot *snapshot)
{
  for (uint32_t r = 0; r < history->range_count; r++) {
    uint64_t count = piece_count(snapshot->ranges[r].length);
    for (uint64_t i = 0; i < count; i++)
      drop_piece(history, snapshot->ranges[r].pieces[i]);
    history->held_bytes -= count * sizeof(struct piece *);
    free(snapshot->ranges[r].pieces);
  }
  history->held_bytes -= sizeof *snapshot + snapshot->run_bytes;
  free(snapshot->ranges);
  free(snapshot->run);
  free(snapshot);
}

/* Every other one but the first, until there is room. */
static void thin_out(struct wm_history *history)
{
  while (history->count > 1 && (history->held_bytes > history->limit_bytes || history->count > MOST_SNAPSHOTS)) {
    uint32_t kept = 1;
    for (uint32_t i = 1; i < history->count; i++)
      if (i % 2 == 0)
        history->snapshots[kept++] = history->snapshots[i];
      else
        drop_snapshot(history, history->snapshots[i]);
    history->count = kept;
    history->spacing *= 2;
  }
}

static void take_snapshot(struct wm_history *history)
{
  struct wm_target *target = history->target;
  struct wm_snapshot *snapshot = wm_allocate(1, sizeof *snapshot);
  memset(snapshot, 0, sizeof *snapshot);
  snapshot->instruction = wm_target_instructions(target);
  snapshot->edits = history->edit_next;
  snapshot->has_tally = history->has_tally;
  snapshot->tally = history->tally;
  wm_target_save(target, &snapshot->state);
  snapshot->run_bytes = wm_run_state_bytes(target->run);
  snapshot->run = wm_allocate((size_t)snapshot->run_bytes, 1);
  wm_run_save(target->run, snapshot->run);
  snapshot->ranges = wm_allocate(history->range_count, sizeof *snapshot->ranges);
  const struct wm_snapshot *before = history->count > 0 ? history->snapshots[history->count - 1] : NULL;
  for (uint32_t i = 0; i < history->range_count; i++)
    take_contents(history, &snapshot->ranges[i], i, before);
  history->held_bytes += sizeof *snapshot + snapshot->run_bytes;
  if (history->count == history->capacity) {
    history->capacity = history->capacity == 0 ? 16 : history->capacity * 2;
    history->snapshots = wm_reallocate(history->snapshots, history->capacity, sizeof *history->snapshots);
  }
  history->snapshots[history->count++] = snapshot;
  thin_out(history);
}

/* The number of the last snapshot not after `to`. */
static uint32_t find_snapshot(const struct wm_history *history, uint64_t to)
{
  uint32_t low = 0, high = history->count;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (history->snapshots[middle]->instruction <= to)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static void restore(struct wm_history *history, const struct wm_snapshot *snapshot)
{
  /* Blocks never shrink, so lengths that were there before can be had again. */
  wm_run_restore(history->target->run, snapshot->run);
  for (uint32_t i = 0; i < history->range_count; i++)
    put_contents(history, &snapshot->ranges[i], i);
  wm_target_restore(history->target, &snapshot->state);
  history->edit_next = snapshot->edits;
  history->has_tally = snapshot->has_tally;
  history->tally = snapshot->tally;
}

uint64_t wm_history_restore(struct wm_history *history, uint64_t to)
{
  const struct wm_snapshot *snapshot = history->snapshots[find_snapshot(history, to)];
  restore(history, snapshot);
  return snapshot->instruction;
}

uint64_t wm_history_before(const struct wm_history *history, uint64_t at)
{
  return at == 0 ? 0 : history->snapshots[find_snapshot(history, at - 1)]->instruction;
}

/* ---- Edits ------------------------------------------------------------------------------------------------------ */

static void make_edit(struct wm_target *target, const struct wm_edit *edit)
{
  if (edit->kind == WM_EDIT_MEMORY) {
    struct wm_memory_bytes memory = wm_instance_memory(target->instance, edit->index);
    memcpy(memory.base + edit->at, edit->bytes, edit->length);
  } else if (edit->kind == WM_EDIT_SLOT) {
    struct wm_frame_view frame;
    if (wm_run_frame(target->run, edit->index, &frame))
      memcpy(frame.slots + edit->at, edit->bytes, edit->length);
  } else {
    struct wm_extern global = wm_instance_item(target->instance, WM_EXTERN_GLOBAL, edit->index);
    struct wm_value value = wm_extern_global(global);
    memcpy(value.bits, edit->bytes, edit->length);
    wm_extern_set_global(global, value);
  }
}

static void forget_future(struct wm_history *history, uint64_t now)
{
  while (history->count > 1 && history->snapshots[history->count - 1]->instruction > now)
    drop_snapshot(history, history->snapshots[--history->count]);
  history->edit_count = history->edit_next;
}

void wm_history_edit(struct wm_history *history, const struct wm_edit *edit)
{
  forget_future(history, edit->instruction);
  history->edits = wm_reallocate(history->edits, history->edit_count + (size_t)1, sizeof *history->edits);
  history->edits[history->edit_count++] = *edit;
  history->edit_next = history->edit_count;
  make_edit(history->target, edit);
}

void wm_history_reset(struct wm_history *history)
{
  bool had_edits = history->edit_count > 0;
  restore(history, history->snapshots[0]);
  if (had_edits)
    forget_future(history, 0);
}

/* ---- Counting --------------------------------------------------------------------------------------------------- */

#define TALLY_WANTS (WM_WANT_ACCESSES | WM_WANT(WM_EVENT_CALL) | WM_WANT(WM_EVENT_RETURN) | WM_WANT(WM_EVENT_BRANCH))

/* A copy is one read and one write; whatever else is no load writes. */
static void count_access(struct wm_tally *tally, const struct wm_event *event)
{
  if (event->kind == WM_EVENT_LOAD || event->kind == WM_EVENT_COPY) {
    tally->memory_reads++;
    tally->bytes_read += event->length;
  }
  if (event->kind != WM_EVENT_LOAD) {
    tally->memory_writes++;
    tally->bytes_written += event->length;
  }
}

static void count_event(struct wm_tally *tally, const struct wm_event *event)
{
  switch (event->kind) {
  case WM_EVENT_CALL:
    tally->calls += (event->flags & WM_FLAG_OUTERMOST) == 0;
    tally->indirect_calls += (event->flags & WM_FLAG_INDIRECT) != 0;
    break;
  case WM_EVENT_RETURN:
    tally->returns++;
    break;
  case WM_EVENT_BRANCH:
    tally->branches_taken++;
    tally->loop_iterations += (event->flags & WM_FLAG_BACK) != 0;
    break;
  case WM_EVENT_LOAD: case WM_EVENT_COPY: case WM_EVENT_STORE: case WM_EVENT_FILL: case WM_EVENT_INIT:
    count_access(tally, event);
    break;
  default:
    break;
  }
}

static void deliver(void *user, const struct wm_event *batch, uint32_t count)
{
  struct wm_history *history = user;
  for (const struct wm_event *event = batch; event < batch + count; event++) {
    if (history->has_tally && event->phase != WM_PHASE_AFTER)
      count_event(&history->tally, event);
    if (history->watch != NULL && (history->wants & WM_WANT(event->kind)) != 0)
      history->watch(history->watch_user, event);
  }
}

void wm_history_watch(struct wm_history *history, uint32_t wants, uint32_t needs, void (*watch)(void *user, const struct wm_event *event), void *user)
{
  history->wants = watch != NULL ? wants : 0;
  history->needs = watch != NULL ? needs : 0;
  history->watch = watch;
  history->watch_user = user;
}

/* Totals stay known only where they are counted. */
static void set_tap(struct wm_history *history)
{
  bool is_counting = history->counts && history->has_tally;
  history->has_tally = is_counting;
  struct wm_tap tap = {.wants = history->wants | (is_counting ? TALLY_WANTS : 0), .needs = history->needs, .deliver = deliver, .user = history};
  wm_target_set_tap(history->target, tap.wants != 0 ? &tap : NULL);
}

/* ---- Running ---------------------------------------------------------------------------------------------------- */

static void settle(struct wm_history *history)
{
  uint64_t now = wm_target_instructions(history->target);
  while (history->edit_next < history->edit_count && history->edits[history->edit_next].instruction == now &&
         !wm_target_has_ended(history->target))
    make_edit(history->target, &history->edits[history->edit_next++]);
  struct wm_snapshot *last = history->snapshots[history->count - 1];
  if (now >= last->instruction + history->spacing && !wm_target_has_ended(history->target))
    take_snapshot(history);
  struct wm_snapshot *here = history->snapshots[find_snapshot(history, now)];
  if (here->instruction == now && here->edits == history->edit_next && history->has_tally && !here->has_tally) {
    here->has_tally = true;
    here->tally = history->tally;
  }
}

/* Where to come up next on the way to `to`. */
static uint64_t next_halt(const struct wm_history *history, uint64_t now, uint64_t to)
{
  uint64_t last = history->snapshots[history->count - 1]->instruction;
  uint32_t here = find_snapshot(history, now);
  uint64_t due = here + 1 < history->count ? history->snapshots[here + 1]->instruction : last + history->spacing;
  if (due > now && due < to)
    to = due;
  if (history->edit_next < history->edit_count && history->edits[history->edit_next].instruction < to)
    to = history->edits[history->edit_next].instruction;
  return to;
}

bool wm_history_advance(struct wm_history *history, uint64_t to, bool stops_at_calls)
{
  struct wm_target *target = history->target;
  set_tap(history);
  uint64_t now = wm_target_instructions(target);
  bool is_alive = wm_target_resume(target, next_halt(history, now, to), stops_at_calls);
  settle(history);
  return is_alive;
}

bool wm_history_goto(struct wm_history *history, uint64_t to)
{
  uint64_t now = wm_target_instructions(history->target);
  if (to > history->target->limit)
    to = history->target->limit;
  uint64_t nearest = history->snapshots[find_snapshot(history, to)]->instruction;
  bool is_behind = to < now || (to == now && wm_target_has_ended(history->target));
  if (to < now || nearest > now)
    now = wm_history_restore(history, to);
  else if (is_behind)
    return true;
  bool is_alive = wm_history_advance(history, now, false); /* begins the export, when nothing had run */
  while (is_alive && wm_target_instructions(history->target) < to && !wm_history_is_interrupted())
    is_alive = wm_history_advance(history, to, false);
  return !is_alive || wm_target_instructions(history->target) >= to;
}

bool wm_history_tally(struct wm_history *history, struct wm_tally *tally)
{
  uint64_t now = wm_target_instructions(history->target);
  bool has_ended = wm_target_has_ended(history->target), counts = history->counts;
  if (!history->has_tally) {
    uint32_t from = find_snapshot(history, now);
    while (!history->snapshots[from]->has_tally)
      from--; /* the first has it */
    restore(history, history->snapshots[from]);
    history->counts = true;
    bool is_alive = wm_history_advance(history, wm_target_instructions(history->target), false);
    while (is_alive && (has_ended || wm_target_instructions(history->target) < now) && !wm_history_is_interrupted())
      is_alive = wm_history_advance(history, has_ended ? UINT64_MAX : now, false);
    history->counts = counts;
  }
  *tally = history->tally;
  return history->has_tally && wm_target_instructions(history->target) == now;
}

/* ---- Opening ---------------------------------------------------------------------------------------------------- */

void wm_history_open(struct wm_history *history, struct wm_target *target, uint64_t limit_bytes, uint64_t spacing)
{
  *history = (struct wm_history){.target = target, .limit_bytes = limit_bytes, .has_tally = true};
  struct wm_state_range range;
  uint64_t bytes = 0;
  for (; wm_store_range(target->session.store, history->range_count, &range); history->range_count++)
    bytes += range.length;
  history->spacing = spacing != 0 ? spacing : LEAST_SPACING;
  while (spacing == 0 && history->spacing < bytes / BYTES_AN_INSTRUCTION)
    history->spacing *= 2;
  take_snapshot(history);
}

void wm_history_close(struct wm_history *history)
{
  while (history->count > 0)
    drop_snapshot(history, history->snapshots[--history->count]);
  free(history->snapshots);
  free(history->edits);
}
