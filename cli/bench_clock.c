/* The clock of timed copies; see bench_clock.h. */
#include "cli/bench_clock.h"

#include <string.h>

#include "cli/message.h"
#include "cli/samples.h"

static bool is_named(struct wm_name name, const char *text)
{
  return name.length == strlen(text) && memcmp(name.bytes, text, name.length) == 0;
}

bool wm_bench_clock_is_wanted(const struct wm_module *module)
{
  for (uint32_t i = 0; i < module->import_count; i++) {
    const struct wm_import *import = &module->imports[i];
    if (import->kind != WM_EXTERN_FUNC || !is_named(import->module, "qip_bench") || !is_named(import->name, "now_ms"))
      return false;
    const struct wm_type *type = wm_func_type(module, import->index);
    if (type->param_count != 0 || type->result_count != 1 || type->results[0] != WM_TYPE_F64)
      return false;
  }
  return module->import_count > 0;
}

static enum wm_trap now_ms(void *user, struct wm_store *store, const struct wm_value *args, struct wm_value *results)
{
  (void)store, (void)args;
  struct wm_bench_clock *clock = user;
  double ms;
  if (clock->is_real) {
    uint64_t now = wm_clock_ns();
    if (clock->begin_ns == 0)
      clock->begin_ns = now;
    ms = (double)(now - clock->begin_ns) / 1e6;
  } else {
    const struct wm_run *run = clock->session->content.run; /* none yet while getters of old components are asked: time 0 */
    ms = run == NULL ? 0 : (double)wm_run_look(run).instructions / WM_BENCH_INSTRUCTIONS_PER_MS;
  }
  results[0] = (struct wm_value){WM_TYPE_F64, {0, 0}};
  memcpy(&results[0].bits[0], &ms, sizeof ms);
  return WM_TRAP_NONE;
}

const struct wm_extern *wm_bench_clock_bind(struct wm_bench_clock *clock, struct wm_session *session)
{
  const struct wm_module *module = &session->module;
  struct wm_extern *imports = wm_arena_take(&session->arena, module->import_count, sizeof *imports);
  clock->session = session;
  for (uint32_t i = 0; imports != NULL && i < module->import_count; i++)
    if (!wm_store_add_function(session->store, module->funcs[module->imports[i].index].type, now_ms, clock, &imports[i]))
      imports = NULL;
  if (imports == NULL)
    wm_fail(WM_EXIT_INTERNAL, session->label, "the host has no memory for it");
  return imports;
}
