/* Playing frames; see frames.h. */
#define _POSIX_C_SOURCE 200809L
#include "cli/frames.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/ktx2.h"
#include "cli/message.h"
#include "cli/png.h"
#include "cli/samples.h"
#include "qip/session.h"

/* ---- Failures --------------------------------------------------------------------------------------------------- */

/* ` (line N of SCRIPT)`, or the option that asked. */
static void add_place(const struct wm_player *player, struct wm_buffer *text)
{
  const struct wm_frame_step *step = player->step;
  if (step == NULL)
    return;
  if (step->line > 0)
    wm_buffer_format(text, " (line %" PRIu32 " of %s)", step->line, player->script->path);
  else
    wm_buffer_format(text, " (--%s)", step->kind == WM_STEP_WARMUP ? "warmup" : "frames");
}

/* Tells what ended the play: the component's fault by its outcome, the caller's by the problem. */
static int tell(struct wm_player *player, const struct wm_problem *problem)
{
  struct wm_session *session = player->session;
  const struct wm_content_outcome *outcome = wm_content_outcome(&session->content);
  struct wm_buffer text = WM_BUFFER_EMPTY;
  int status = wm_status_exit(problem->status);
  wm_progress_end(&player->progress);
  if (player->is_rehearsal)
    return status;
  if (outcome->result == WM_CONTENT_TRAPPED) {
    status = WM_EXIT_TRAP;
    wm_buffer_format(&text, "trap: %s", wm_trap_text((enum wm_trap)outcome->trap));
  } else if (outcome->result == WM_CONTENT_EXHAUSTED) {
    status = WM_EXIT_BUDGET;
    wm_buffer_format(&text, "instruction budget of %" PRIu64 " exhausted", player->budget);
  } else {
    wm_buffer_text(&text, problem->text);
  }
  wm_session_where(session, &text, problem->function, problem->offset);
  if ((outcome->result == WM_CONTENT_TRAPPED || outcome->result == WM_CONTENT_EXHAUSTED) && outcome->export_name.length > 0)
    wm_buffer_format(&text, " (running %.*s)", (int)outcome->export_name.length, outcome->export_name.bytes);
  add_place(player, &text);
  wm_buffer_char(&text, '\0');
  wm_fail(status, session->label, "%s", (const char *)text.bytes);
  wm_buffer_free(&text);
  return status;
}

/* ---- The component's own figures -------------------------------------------------------------------------------- */

/* The accumulators of a timed copy: f64, little-endian. NULL with count 0 when there are none; *status for
 * those that lie outside memory. */
static uint8_t *find_layer_times(struct wm_player *player, uint32_t *count, int *status)
{
  const struct wm_contract *contract = &player->session->contract;
  struct wm_problem problem;
  uint32_t pointer;
  wm_problem_clear(&problem);
  *count = 0;
  *status = WM_EXIT_OK;
  if (contract->layer_times_ptr == WM_NO_INDEX || contract->layer_times_len == WM_NO_INDEX)
    return NULL;
  if (!wm_lifecycle_read(&player->lifecycle, contract->layer_times_ptr, &pointer, &problem) ||
      !wm_lifecycle_read(&player->lifecycle, contract->layer_times_len, count, &problem)) {
    *status = tell(player, &problem);
    return NULL;
  }
  struct wm_memory_bytes memory = wm_instance_memory(player->session->content.instance, 0);
  if (pointer > memory.length || *count > (memory.length - pointer) / 8) {
    if (wm_problem_begin(&problem, WM_CONTRACT))
      wm_problem_text(&problem, "layer_times_ptr and layer_times_len tell of numbers outside memory");
    *status = tell(player, &problem);
    return NULL;
  }
  return memory.base + pointer;
}

static int read_counters(struct wm_player *player, bool is_before)
{
  struct wm_problem problem;
  wm_problem_clear(&problem);
  for (uint32_t i = 0; i < player->counter_count; i++) {
    struct wm_frame_counter *counter = &player->counters[i];
    if (!wm_lifecycle_read(&player->lifecycle, counter->function, is_before ? &counter->before : &counter->value, &problem))
      return tell(player, &problem);
  }
  return WM_EXIT_OK;
}

static int read_figures(struct wm_player *player)
{
  int status;
  uint32_t count;
  const uint8_t *times = find_layer_times(player, &count, &status);
  if (status != WM_EXIT_OK)
    return status;
  player->layer_count = count;
  player->layer_ms = wm_reallocate(player->layer_ms, count, sizeof *player->layer_ms);
  if (count > 0)
    memcpy(player->layer_ms, times, count * sizeof *player->layer_ms);
  return read_counters(player, false);
}

/* ---- Frames ----------------------------------------------------------------------------------------------------- */

static void mark(const struct wm_player *player, enum wm_mark_kind kind, uint64_t number)
{
  if (player->sinks == NULL || player->is_rehearsal)
    return;
  uint64_t instructions = wm_content_outcome(&player->session->content)->instructions;
  wm_fanout_mark(&player->sinks->fanout, &(struct wm_mark){(uint8_t)kind, number, instructions, wm_clock_ns()});
}

static int save(const struct wm_player *player, const uint8_t *output, size_t length)
{
  struct wm_ktx2 image;
  const char *label = player->session->label;
  uint64_t number = player->frame_count - 1;
  const char *fault = wm_ktx2_read(&image, output, length);
  if (fault != NULL)
    return wm_fail(WM_EXIT_DATA, label, "frame %" PRIu64 " cannot be saved, it is no KTX2 image: %s", number, fault);
  uint8_t *rgba = wm_allocate((size_t)image.width * image.height, 4);
  struct wm_buffer png = WM_BUFFER_EMPTY, path = WM_BUFFER_EMPTY;
  wm_ktx2_to_rgba8(&image, rgba);
  wm_png_write(&png, rgba, image.width, image.height);
  wm_buffer_format(&path, "%s/frame-%04" PRIu64 ".png%c", player->save_path, number, '\0');
  int status = wm_output_write((const char *)path.bytes, png.bytes, png.length);
  free(rgba);
  wm_buffer_free(&png);
  wm_buffer_free(&path);
  return status;
}

/* Writes down the output that stands in memory as the next frame. */
static int add_frame(struct wm_player *player, struct wm_frame frame)
{
  uint64_t length, number = player->frame_count;
  if (player->is_rehearsal)
    return WM_EXIT_OK;
  const uint8_t *output = wm_content_output(&player->session->content, &length);
  wm_digest(frame.digest, output, (size_t)length);
  frame.output_bytes = length;
  if ((number & (number - 1)) == 0)
    player->frames = wm_reallocate(player->frames, number == 0 ? 1 : 2 * (size_t)number, sizeof *player->frames);
  player->frames[player->frame_count++] = frame;
  bool is_other = player->other != NULL && number < player->other->frame_count &&
                  strcmp(player->other->frames[number].digest, frame.digest) != 0;
  if (is_other || (player->is_capturing && number == player->captured_frame)) {
    player->has_mismatch = is_other;
    wm_buffer_add(&player->captured, output, (size_t)length);
    return WM_EXIT_DIFFERS;
  }
  return player->save_path != NULL && frame.kind != WM_FRAME_WARMUP ? save(player, output, (size_t)length) : WM_EXIT_OK;
}

static int render(struct wm_player *player, enum wm_frame_kind kind)
{
  struct wm_problem problem;
  const struct wm_content_outcome *outcome = wm_content_outcome(&player->session->content);
  uint64_t before = outcome->instructions;
  wm_problem_clear(&problem);
  mark(player, WM_MARK_FRAME_BEGIN, player->frame_count);
  uint64_t begin = wm_clock_ns();
  if (!wm_lifecycle_render(&player->lifecycle, &problem))
    return tell(player, &problem);
  uint64_t ns = wm_clock_ns() - begin;
  mark(player, WM_MARK_FRAME_END, player->frame_count);
  return add_frame(player, (struct wm_frame){.kind = (uint8_t)kind, .time_ms = player->lifecycle.now_ms,
                                             .instructions = outcome->instructions - before, .ns = ns});
}

/* Everything counts from zero; a timed copy's accumulators too. */
static int end_warmup(struct wm_player *player)
{
  int status;
  uint32_t count;
  uint8_t *times = find_layer_times(player, &count, &status);
  if (status != WM_EXIT_OK)
    return status;
  if (count > 0)
    memset(times, 0, (size_t)count * 8);
  mark(player, WM_MARK_RESET, 0);
  player->measured_from = player->frame_count;
  return read_counters(player, true);
}

/* ---- Steps ------------------------------------------------------------------------------------------------------ */

static int play_frames(struct wm_player *player, uint64_t count, enum wm_frame_kind kind)
{
  int status = WM_EXIT_OK;
  for (uint64_t i = 0; i < count && status == WM_EXIT_OK; i++) {
    wm_progress_slice(&player->progress);
    wm_progress_show(&player->progress, player->session->label, wm_content_outcome(&player->session->content)->instructions);
    status = render(player, kind);
  }
  return status == WM_EXIT_OK && kind == WM_FRAME_WARMUP ? end_warmup(player) : status;
}

static int play_step(struct wm_player *player, const struct wm_frame_step *step)
{
  struct wm_lifecycle *lifecycle = &player->lifecycle;
  struct wm_problem problem;
  struct wm_value applied;
  bool is_changed, is_good = true;
  wm_problem_clear(&problem);
  switch (step->kind) {
  case WM_STEP_RENDER:
    return play_frames(player, 1, WM_FRAME_MEASURED);
  case WM_STEP_FRAMES:
    return play_frames(player, step->count, WM_FRAME_MEASURED);
  case WM_STEP_WARMUP:
    return play_frames(player, step->count, WM_FRAME_WARMUP);
  case WM_STEP_AT:
    is_good = wm_lifecycle_begin_update(lifecycle, step->time_ms, &problem);
    break;
  case WM_STEP_UNIFORM:
    is_good = wm_lifecycle_uniform(lifecycle, &step->uniform, &applied, &problem);
    break;
  case WM_STEP_KEY:
    is_good = wm_lifecycle_key(lifecycle, step->keysym, step->flags, &is_changed, &problem);
    break;
  case WM_STEP_POINTER:
    is_good = wm_lifecycle_pointer(lifecycle, step->buttons, step->x, step->y, &is_changed, &problem);
    break;
  case WM_STEP_FINISH:
    is_good = wm_lifecycle_finish_update(lifecycle, &problem);
    break;
  }
  return is_good ? WM_EXIT_OK : tell(player, &problem);
}

static int play_script(struct wm_player *player)
{
  const struct wm_frame_script *script = player->script;
  struct wm_problem problem;
  wm_problem_clear(&problem);
  player->step = &script->steps[0];
  if (!wm_lifecycle_begin(&player->lifecycle, &player->session->content, &problem))
    return tell(player, &problem);
  for (uint32_t i = 0; i < script->count; i++) {
    player->step = &script->steps[i];
    if (player->step->kind == WM_STEP_AT)
      player->open_line = player->step->line;
    int status = play_step(player, player->step);
    if (status != WM_EXIT_OK)
      return status;
  }
  player->step = NULL;
  if (player->lifecycle.is_updating && !player->is_rehearsal)
    return wm_fail(WM_EXIT_CONTRACT, player->session->label, "the update that line %" PRIu32 " of %s opens is never finished",
                   player->open_line, script->path);
  return WM_EXIT_OK;
}

/* What a run ahead or an earlier play has left. */
static void begin_play(struct wm_player *player, struct wm_session *session, bool is_rehearsal)
{
  player->session = session;
  player->is_rehearsal = is_rehearsal;
  player->frame_count = player->measured_from = 0;
  player->step = NULL;
  player->progress = (struct wm_progress){0};
  player->lifecycle = (struct wm_lifecycle){.content = &session->content};
  for (uint32_t i = 0; i < player->counter_count; i++)
    player->counters[i].before = 0;
}

static int play(struct wm_session *session, bool is_rehearsal, void *user)
{
  struct wm_player *player = user;
  begin_play(player, session, is_rehearsal);
  int status = add_frame(player, (struct wm_frame){.kind = WM_FRAME_FIRST, .instructions = wm_content_outcome(&session->content)->instructions});
  if (status == WM_EXIT_OK && player->script->count > 0)
    status = play_script(player);
  wm_progress_end(&player->progress);
  return status == WM_EXIT_OK && !is_rehearsal ? read_figures(player) : status;
}

static const struct wm_extern *bind(struct wm_session *session, void *user)
{
  struct wm_player *player = user;
  return wm_bench_clock_bind(&player->clock, session);
}

/* ---- Setting up ------------------------------------------------------------------------------------------------- */

static int find_counter(const struct wm_session *session, struct wm_frame_counter *counter)
{
  const struct wm_module *module = &session->module;
  const struct wm_export *found = wm_module_find_export(module, counter->name, strlen(counter->name));
  if (found != NULL && found->kind == WM_EXTERN_FUNC) {
    const struct wm_type *type = wm_func_type(module, found->index);
    counter->function = found->index;
    if (type->param_count == 0 && type->result_count == 1 && type->results[0] == WM_TYPE_I32)
      return WM_EXIT_OK;
  }
  return wm_fail(WM_EXIT_USAGE, session->label, "--export-counter %s: no function () -> i32 is exported by that name", counter->name);
}

int wm_player_attach(struct wm_player *player, struct wm_session *session)
{
  for (uint32_t i = 0; i < player->counter_count; i++) {
    int status = find_counter(session, &player->counters[i]);
    if (status != WM_EXIT_OK)
      return status;
  }
  if (player->save_path != NULL && mkdir(player->save_path, 0777) != 0 && errno != EEXIST)
    return wm_fail(WM_EXIT_CANNOT_CREATE, player->save_path, "%s", strerror(errno));
  player->session = session;
  player->guide = (struct wm_session_guide){session->module.import_count > 0 ? bind : NULL, play, player};
  session->guide = &player->guide;
  return WM_EXIT_OK;
}

static int compare_u64(const void *a, const void *b)
{
  const uint64_t *one = a, *other = b;
  return (*one > *other) - (*one < *other);
}

bool wm_player_statistics(const struct wm_player *player, bool is_ns, struct wm_frame_statistics *statistics)
{
  uint64_t *values = wm_allocate((size_t)player->frame_count, sizeof *values);
  uint64_t count = 0;
  for (uint64_t i = 0; i < player->frame_count; i++)
    if (wm_frame_is_measured(player, i))
      values[count++] = is_ns ? player->frames[i].ns : player->frames[i].instructions;
  if (count > 0) {
    qsort(values, (size_t)count, sizeof *values, compare_u64);
    *statistics = (struct wm_frame_statistics){count, values[0], values[(count + 1) / 2 - 1], values[(count * 95 + 99) / 100 - 1], values[count - 1]};
  }
  free(values);
  return count > 0;
}

void wm_player_free(struct wm_player *player)
{
  free(player->frames);
  free(player->layer_ms);
  wm_buffer_free(&player->captured);
  memset(player, 0, sizeof *player);
}
