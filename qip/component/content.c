/* qip-content-interpreter.wasm: the answer is the target's own output, where it lies in the target's memory. */
#include "qip/component/component.h"

#define OUTPUT_CAP (192u << 20) /* what a target can have of memory */

static const char content_type[] = "application/octet-stream";

WM_COMPONENT_GETTER(output_bytes_cap, OUTPUT_CAP)
WM_COMPONENT_GETTER(output_content_type_ptr, content_type)
WM_COMPONENT_GETTER(output_content_type_size, sizeof content_type - 1)

bool wm_component_watch(struct wm_content *content, struct wm_pool *pool)
{
  (void)content;
  (void)pool;
  return true;
}

uint64_t wm_component_answer(struct wm_content *content)
{
  uint64_t length;
  const uint8_t *output = wm_content_output(content, &length);
  return wm_component_word(output, length);
}
