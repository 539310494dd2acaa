/* One component from bytes to outcome; see session.h. Messages follow `wasmeter: FILE: what, where`. */
#include "cli/session.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/host_memory.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/samples.h"
#include "instrument/text.h"
#include "qip/constant.h"

/* ---- Messages --------------------------------------------------------------------------------------------------- */

void wm_session_where(struct wm_session *session, struct wm_buffer *text, uint32_t function, uint64_t offset)
{
  if (function != WM_NO_INDEX) {
    struct wm_text name = wm_symbols_name(&session->symbols, function);
    char spelling[32];
    struct wm_text plain = wm_symbols_spell(function, spelling);
    wm_buffer_text(text, ", in ");
    wm_buffer_add(text, name.bytes, name.length);
    if (!wm_text_equal(name, plain))
      wm_buffer_format(text, " (%s)", spelling);
  }
  if (offset != WM_NO_OFFSET)
    wm_buffer_format(text, "%s at offset 0x%" PRIx64, function == WM_NO_INDEX ? "," : "", offset);
}

static int tell(struct wm_session *session, int status, struct wm_buffer *text)
{
  wm_buffer_char(text, '\0');
  wm_fail(status, session->label, "%s", (const char *)text->bytes);
  wm_buffer_free(text);
  return status;
}

int wm_session_tell_error(const struct wm_session *session, const struct wm_error *error)
{
  return wm_fail_error(session->label, error);
}

int wm_session_tell_problem(struct wm_session *session, const struct wm_problem *problem)
{
  struct wm_buffer text = WM_BUFFER_EMPTY;
  wm_buffer_text(&text, problem->status == WM_LIMIT ? "module beyond a limit: " : "");
  wm_buffer_text(&text, problem->text);
  wm_session_where(session, &text, problem->function, problem->offset);
  return tell(session, wm_status_exit(problem->status), &text);
}

int wm_session_tell_trap(struct wm_session *session, enum wm_trap trap, uint32_t function, uint64_t offset)
{
  struct wm_buffer text = WM_BUFFER_EMPTY;
  wm_buffer_format(&text, "trap: %s", wm_trap_text(trap));
  wm_session_where(session, &text, function, offset);
  return tell(session, WM_EXIT_TRAP, &text);
}

/* `what` and the place, and the export under way when the function's name does not tell it. */
static int tell_stop(struct wm_session *session, int status, const char *what)
{
  const struct wm_content_outcome *outcome = wm_content_outcome(&session->content);
  struct wm_buffer text = WM_BUFFER_EMPTY;
  wm_buffer_text(&text, what);
  wm_session_where(session, &text, outcome->function, outcome->offset);
  if (outcome->phase != WM_CONTENT_RENDER && outcome->export_name.length > 0)
    wm_buffer_format(&text, " (running %.*s)", (int)outcome->export_name.length, outcome->export_name.bytes);
  return tell(session, status, &text);
}

int wm_session_tell_outcome(struct wm_session *session, uint64_t budget)
{
  const struct wm_content_outcome *outcome = wm_content_outcome(&session->content);
  struct wm_buffer text = WM_BUFFER_EMPTY;
  int status;
  switch (outcome->result) {
  case WM_CONTENT_ACCEPTED:
    return WM_EXIT_OK;
  case WM_CONTENT_REJECTED:
    return wm_fail(WM_EXIT_REJECTED, session->label, "%s", outcome->problem.text);
  case WM_CONTENT_TRAPPED:
    wm_buffer_format(&text, "trap: %s%c", wm_trap_text((enum wm_trap)outcome->trap), '\0');
    status = tell_stop(session, WM_EXIT_TRAP, (const char *)text.bytes);
    wm_buffer_free(&text);
    return status;
  case WM_CONTENT_EXHAUSTED:
    wm_buffer_format(&text, "instruction budget of %" PRIu64 " exhausted%c", budget, '\0');
    status = tell_stop(session, WM_EXIT_BUDGET, (const char *)text.bytes);
    wm_buffer_free(&text);
    return status;
  case WM_CONTENT_NO_MEMORY:
    return wm_fail(WM_EXIT_INTERNAL, session->label, "%s",
                   outcome->problem.text[0] != '\0' ? outcome->problem.text : "the host has no memory for it");
  default: /* VIOLATION, REFUSED: the problem's own status tells them apart */
    return wm_session_tell_problem(session, &outcome->problem);
  }
}

/* ---- The view of sinks ------------------------------------------------------------------------------------------ */

static struct wm_session *session_of(const struct wm_view *view)
{
  const struct wm_content *content = view->host;
  return content->user;
}

static struct wm_text view_function_name(const struct wm_view *view, uint32_t function)
{
  return wm_symbols_name(&session_of(view)->symbols, function);
}

static uint32_t view_access_ordinal(const struct wm_view *view, uint32_t function, uint64_t offset)
{
  return wm_symbols_access_ordinal(&session_of(view)->symbols, function, offset);
}

static struct wm_text view_trap_text(const struct wm_view *view, uint64_t trap)
{
  (void)view;
  return wm_text_of(wm_trap_text((enum wm_trap)trap));
}

static uint64_t view_clock_ns(const struct wm_view *view)
{
  (void)view;
  return wm_clock_ns();
}

static void *view_reserve(const struct wm_view *view, uint64_t bytes)
{
  struct wm_session *session = session_of(view);
  void *pages = wm_pages_reserve(bytes);
  if (pages == NULL)
    return NULL;
  session->reserved = wm_reallocate(session->reserved, session->reserved_count + 1, sizeof *session->reserved);
  session->reserved[session->reserved_count++] = (struct wm_reserved){pages, bytes};
  return pages;
}

static void refresh_view(struct wm_session *session)
{
  wm_content_view(&session->content, &session->view);
  session->view.function_name = view_function_name;
  session->view.access_ordinal = view_access_ordinal;
  session->view.trap_text = view_trap_text;
  session->view.clock_ns = view_clock_ns;
  session->view.reserve = view_reserve;
}

/* ---- Loading ---------------------------------------------------------------------------------------------------- */

int wm_session_load(struct wm_session *session, const char *label, const uint8_t *bytes, size_t length, const struct wm_limits *limits)
{
  memset(session, 0, sizeof *session);
  session->label = label;
  session->limits = *limits;
  if (!wm_arena_reserve_for(&session->arena, length) || !wm_types_init(&session->types, &session->arena, &session->limits))
    return wm_fail(WM_EXIT_INTERNAL, label, "the host has no memory for it");
  struct wm_error error = WM_ERROR_NONE;
  if (!wm_module_decode(&session->module, bytes, length, &session->limits, &session->types, &session->arena, &error))
    return wm_session_tell_error(session, &error);
  session->arena_mark = session->arena.used;
  wm_symbols_open(&session->symbols, &session->module);
  return WM_EXIT_OK;
}

int wm_session_symbols(struct wm_session *session, const char *symbols_path)
{
  if (symbols_path == NULL)
    return WM_EXIT_OK;
  int status = wm_symbols_take_twin(&session->symbols, symbols_path, &session->limits);
  session->arena_mark = session->arena.used; /* its types stay in the registry */
  return status;
}

int wm_session_contract(struct wm_session *session, uint32_t flags)
{
  struct wm_problem problem;
  wm_problem_clear(&problem);
  if (!wm_contract_read(&session->contract, &session->module, flags, &session->arena, &problem))
    return wm_session_tell_problem(session, &problem);
  session->arena_mark = session->arena.used;
  return WM_EXIT_OK;
}

uint64_t wm_session_capacity(const struct wm_session *session)
{
  const struct wm_contract *contract = &session->contract;
  if (contract->is_generator)
    return UINT64_MAX; /* takes none at all: told by the contract's own check */
  return contract->input_cap.is_known ? contract->input_cap.value : UINT64_MAX;
}

void wm_session_end(struct wm_session *session)
{
  if (session->is_open)
    wm_content_close(&session->content);
  session->is_open = false;
  if (session->store != NULL)
    wm_store_close(session->store);
  session->store = NULL;
}

int wm_session_open_store(struct wm_session *session)
{
  wm_session_end(session);
  session->arena.used = session->arena_mark;
  session->store = wm_store_open(&session->arena, &session->limits, &wm_host_memory, &session->types);
  if (session->store == NULL)
    return wm_fail(WM_EXIT_INTERNAL, session->label, "the host has no memory for it");
  return WM_EXIT_OK;
}

int wm_session_resolve(struct wm_session *session, uint64_t budget)
{
  if (session->contract.version == WM_CONTRACT_V3)
    return WM_EXIT_OK;
  int status = wm_session_open_store(session);
  if (status != WM_EXIT_OK)
    return status;
  struct wm_error error = WM_ERROR_NONE;
  struct wm_instance *instance = wm_instance_link(session->store, &session->module, NULL, &error);
  if (instance == NULL)
    return wm_session_tell_error(session, &error);
  uint64_t offset = WM_NO_OFFSET;
  enum wm_trap trap = wm_instance_init(instance, &offset);
  if (trap != WM_TRAP_NONE)
    return wm_session_tell_trap(session, trap, WM_NO_INDEX, offset);
  uint64_t left = budget;
  if (!wm_contract_resolve(&session->contract, session->store, instance, &left, &session->content.outcome))
    return wm_session_tell_outcome(session, budget);
  wm_store_close(session->store);
  session->store = NULL;
  session->arena_mark = session->arena.used; /* content types that resolving has put there */
  return WM_EXIT_OK;
}

/* ---- Running ---------------------------------------------------------------------------------------------------- */

int wm_session_begin(struct wm_session *session, const struct wm_session_input *input)
{
  int status = wm_session_open_store(session);
  if (status != WM_EXIT_OK)
    return status;
  const struct wm_extern *imports = NULL;
  if (session->guide != NULL && session->guide->imports != NULL && (imports = session->guide->imports(session, session->guide->user)) == NULL)
    return WM_EXIT_INTERNAL;
  struct wm_content_setup setup = {
    .store = session->store, .limits = &session->limits, .module = &session->module, .contract = &session->contract,
    .imports = imports, .input = input->bytes, .input_length = input->length, .check_input_utf8 = input->is_first,
    .uniforms = input->uniforms, .uniform_count = input->uniform_count, .budget = input->budget, .arena = &session->arena,
  };
  memset(&session->content, 0, sizeof session->content);
  session->is_open = true;
  bool is_ready = wm_content_open(&session->content, &setup);
  session->content.user = session;
  if (!is_ready)
    return wm_session_tell_outcome(session, input->budget);
  wm_content_set_stream(&session->content, (enum wm_stream)input->stream);
  return WM_EXIT_OK;
}

#define DEADLINE_SLICE UINT64_C(1000000) /* instructions between looks at the clock: about a millisecond */

static bool is_late(struct wm_session *session)
{
  session->is_late = session->deadline_ns != 0 && wm_clock_ns() >= session->deadline_ns;
  return session->is_late;
}

/* `sinks` may be NULL. A report that nobody takes any more ends the run. A late one ends untold. */
static int run_to_end(struct wm_session *session, uint64_t budget, const struct wm_sinks *sinks)
{
  struct wm_progress progress = {0};
  int status = is_late(session) ? WM_EXIT_BUDGET : WM_EXIT_OK;
  while (status == WM_EXIT_OK) {
    uint64_t slice = wm_progress_slice(&progress);
    if (!wm_content_resume(&session->content, session->deadline_ns != 0 && slice > DEADLINE_SLICE ? DEADLINE_SLICE : slice, 0))
      break;
    wm_progress_show(&progress, session->label, wm_run_look(session->content.run).instructions);
    status = sinks != NULL ? wm_sinks_status(sinks) : WM_EXIT_OK;
    if (status == WM_EXIT_OK && is_late(session))
      status = WM_EXIT_BUDGET;
  }
  wm_progress_end(&progress);
  return status != WM_EXIT_OK ? status : wm_session_tell_outcome(session, budget);
}

/* What the command's guide plays after the first render. */
static int play(struct wm_session *session, bool is_rehearsal)
{
  if (session->guide == NULL || session->guide->play == NULL)
    return WM_EXIT_OK;
  return session->guide->play(session, is_rehearsal, session->guide->user);
}

int wm_session_finish(struct wm_session *session, uint64_t budget)
{
  return run_to_end(session, budget, NULL);
}

/* A first run, unwatched and untold, for sinks that must know the output beforehand; then everything anew. Should it fail, so will
 * the second, which tells it: the sinks then see what there was of it. */
static int find_output(struct wm_session *session, const struct wm_session_input *input)
{
  wm_content_finish(&session->content);
  if (wm_content_outcome(&session->content)->result == WM_CONTENT_ACCEPTED)
    play(session, true);
  refresh_view(session);
  uint32_t count = session->view.region_count;
  session->regions = wm_reallocate(session->regions, count, sizeof *session->regions);
  if (count > 0)
    memcpy(session->regions, session->view.regions, count * sizeof *session->regions);
  int status = wm_session_begin(session, input);
  if (status != WM_EXIT_OK)
    return status;
  refresh_view(session);
  session->view.regions = session->regions;
  session->view.region_count = count;
  return WM_EXIT_OK;
}

int wm_session_run(struct wm_session *session, const struct wm_session_input *input, struct wm_sinks *sinks)
{
  int status = wm_session_begin(session, input);
  if (status != WM_EXIT_OK)
    return status;
  if (sinks->count > 0) {
    refresh_view(session);
    if (wm_sinks_has_trait(sinks, WM_SINK_KNOWS_OUTPUT) && (status = find_output(session, input)) != WM_EXIT_OK)
      return status;
    status = wm_sinks_open(sinks, &session->view, &session->content.run);
    if (status != WM_EXIT_OK)
      return status;
    wm_content_set_tap(&session->content, &sinks->fanout.tap);
    session->has_run = true;
  }
  status = run_to_end(session, input->budget, sinks);
  return status == WM_EXIT_OK ? play(session, false) : status;
}

void wm_session_output(const struct wm_session *session, struct wm_buffer *output)
{
  const struct wm_content_outcome *outcome = wm_content_outcome(&session->content);
  uint64_t length;
  const uint8_t *bytes = wm_content_output(&session->content, &length);
  if (outcome->output_encoding == WM_ENCODING_NONE)
    wm_buffer_format(output, "Ran: %" PRId32 "\n", (int32_t)(uint32_t)outcome->word);
  else
    wm_buffer_add(output, bytes, (size_t)length);
}

void wm_session_report(struct wm_session *session, struct wm_sinks *sinks, bool is_complete)
{
  if (!session->has_run)
    return;
  const struct wm_content_outcome *outcome = wm_content_outcome(&session->content);
  uint64_t output_bytes = outcome->result == WM_CONTENT_ACCEPTED ? outcome->output_length : 0;
  struct wm_outcome told = {is_complete, outcome->instructions, output_bytes, wm_clock_ns()};
  refresh_view(session);
  wm_sinks_finish(sinks, &told);
}

/* Active data segments, and what global 0 holds, as the view of a module without a contract shows them. */
static int show_module(struct wm_session *session, struct wm_content *content)
{
  const struct wm_module *module = &session->module;
  const struct wm_constant *globals = wm_constants_of_globals(module, &session->arena);
  struct wm_region *regions = wm_arena_take(&session->arena, module->data_count + (size_t)1, sizeof *regions);
  if (globals == NULL || regions == NULL)
    return wm_fail(WM_EXIT_INTERNAL, session->label, "the host has no memory for it");
  content->regions = content->initialized = regions;
  for (uint32_t i = 0; i < module->data_count; i++) {
    const struct wm_data *data = &module->datas[i];
    struct wm_constant address = {0};
    if (data->mode != WM_SEGMENT_ACTIVE || data->bytes.length == 0)
      continue;
    wm_valtype type = module->memories[data->memory].type.limits.is_64 ? WM_TYPE_I64 : WM_TYPE_I32;
    if (!wm_constant_evaluate(module, globals, &data->memory_offset, type, &session->arena, &address))
      return wm_fail(WM_EXIT_INTERNAL, session->label, "the host has no memory for it");
    if (address.is_known)
      regions[content->region_count++] = (struct wm_region){WM_REGION_DATA, (uint16_t)data->memory, address.value, data->bytes.length};
  }
  content->initialized_count = content->region_count;
  content->has_global0 = module->global_count > 0 && module->globals[0].type.is_mutable &&
                         (module->globals[0].type.type == WM_TYPE_I32 || module->globals[0].type.type == WM_TYPE_I64);
  if (content->has_global0)
    content->global0_initial = wm_extern_global(wm_instance_item(content->instance, WM_EXTERN_GLOBAL, 0)).bits[0];
  return WM_EXIT_OK;
}

int wm_session_watch(struct wm_session *session, struct wm_instance *instance, struct wm_run *run, struct wm_sinks *sinks)
{
  /* A content session that never runs: it knows how to show an instance. */
  struct wm_content *content = &session->content;
  content->user = session;
  content->instance = instance;
  content->run = run;
  content->setup = (struct wm_content_setup){
    .store = session->store, .limits = &session->limits, .module = &session->module, .contract = &session->contract, .arena = &session->arena,
  };
  int status = show_module(session, content);
  if (status != WM_EXIT_OK)
    return status;
  refresh_view(session);
  session->has_run = true;
  return wm_sinks_open(sinks, &session->view, &content->run);
}

void wm_session_report_run(struct wm_session *session, struct wm_sinks *sinks, bool is_complete, uint64_t instructions)
{
  struct wm_outcome told = {is_complete, instructions, 0, wm_clock_ns()};
  refresh_view(session);
  wm_sinks_finish(sinks, &told);
}

void wm_session_close(struct wm_session *session)
{
  wm_session_end(session);
  for (uint32_t i = 0; i < session->reserved_count; i++)
    wm_pages_release(session->reserved[i].pages, session->reserved[i].bytes);
  free(session->reserved);
  free(session->regions);
  wm_symbols_close(&session->symbols);
  wm_arena_release(&session->arena);
  memset(session, 0, sizeof *session);
}
