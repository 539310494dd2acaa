/* What the two components share with their front ends: one request rendered by component.c, its answer made by the file that is
 * linked beside it (pages.c or content.c). Only they include this. */
#ifndef WM_QIP_COMPONENT_H
#define WM_QIP_COMPONENT_H

#include "qip/content.h"
#include "qip/pool.h"

#define WM_COMPONENT_EXPORT(name) __attribute__((export_name(name)))
/* A static getter: its body is one constant and `end`. */
#define WM_COMPONENT_GETTER(name, value) \
  uint32_t name(void); \
  WM_COMPONENT_EXPORT(#name) uint32_t name(void) { return (uint32_t)(uintptr_t)(value); }

/* The result word of an accepted render. */
static inline uint64_t wm_component_word(const void *output, uint64_t length)
{
  return (uint64_t)(uintptr_t)output << 32 | length;
}
#define WM_COMPONENT_REJECTION ((uint64_t)1 << 63)

/* Made by the front end. Before anything of the target runs; false rejects. The pool gives memory until the answer is made. */
bool wm_component_watch(struct wm_content *content, struct wm_pool *pool);
/* After an accepted render: the outer result word. */
uint64_t wm_component_answer(struct wm_content *content);

#endif
