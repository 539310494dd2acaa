/* qip-interpret-memory-page-writes-csv.wasm: the answer is the page report of the target's run. */
#include "instrument/pages_step.h"
#include "instrument/registry.h"
#include "qip/component/component.h"

#define OUTPUT_CAP (512u * 1024) /* 3072 rows of at most 170 bytes; real ones are much shorter */

static char output[OUTPUT_CAP];
static uint32_t output_length;
static bool is_output_full;
static const char content_type[] = "text/csv";

WM_COMPONENT_GETTER(output_utf8_cap, OUTPUT_CAP)
WM_COMPONENT_GETTER(output_content_type_ptr, content_type)
WM_COMPONENT_GETTER(output_content_type_size, sizeof content_type - 1)

static struct wm_pool *view_pool;
static struct wm_view view;
static struct wm_tap tap;
static void *pages;

static void *reserve(const struct wm_view *asking, uint64_t bytes)
{
  (void)asking;
  return wm_pool_take(view_pool, bytes);
}

static void write_output(struct wm_writer *writer, const char *bytes, size_t length)
{
  (void)writer;
  if (length > OUTPUT_CAP - output_length) {
    is_output_full = true;
    return;
  }
  __builtin_memcpy(output + output_length, bytes, length);
  output_length += (uint32_t)length;
}

bool wm_component_watch(struct wm_content *content, struct wm_pool *pool)
{
  char message[80];
  view_pool = pool;
  view = (struct wm_view){.reserve = reserve};
  wm_content_view(content, &view);
  tap = (struct wm_tap){.deliver = wm_sink_pages.events};
  pages = wm_sink_pages.open(&view, NULL, 0, &tap.wants, &tap.needs, message, sizeof message);
  if (pages == NULL)
    return false;
  tap.user = pages;
  tap.pages = wm_pages_step_of(pages);
  wm_content_set_tap(content, &tap);
  return true;
}

uint64_t wm_component_answer(struct wm_content *content)
{
  struct wm_writer writer = {write_output, NULL};
  const struct wm_content_outcome *outcome = wm_content_outcome(content);
  struct wm_outcome ended = {.is_complete = true, .instructions = outcome->instructions, .output_bytes = outcome->output_length};
  output_length = 0;
  is_output_full = false;
  wm_content_view(content, &view);
  wm_sink_pages.finish(pages, &view, &ended, &writer);
  return is_output_full ? WM_COMPONENT_REJECTION : wm_component_word(output, output_length);
}
