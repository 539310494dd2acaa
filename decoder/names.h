/* Names from the custom section "name" (Appendix: Custom Sections, and the extension for types, tables and so on).
 *
 * They are indexed while the module is decoded. Whatever is wrong with a subsection (order, lengths, UTF-8), it is as if it were
 * not there: names never make a module malformed. Names point into the module's bytes; one that is unknown has length 0. */
#ifndef WM_DECODER_NAMES_H
#define WM_DECODER_NAMES_H

#include "decoder/module.h"

/* The subsections' own numbers. */
enum wm_name_kind {
  WM_NAME_MODULE, WM_NAME_FUNCTION, WM_NAME_LOCAL, WM_NAME_LABEL, WM_NAME_TYPE, WM_NAME_TABLE, WM_NAME_MEMORY,
  WM_NAME_GLOBAL, WM_NAME_ELEMENT, WM_NAME_DATA, WM_NAME_FIELD, WM_NAME_TAG,
};

struct wm_name wm_names_module(const struct wm_module *module);
/* Constant time where names are given without gaps, else logarithmic. */
struct wm_name wm_names_function(const struct wm_module *module, uint32_t function);
/* Of any kind with one index; types by the module's own index. */
struct wm_name wm_names_find(const struct wm_module *module, enum wm_name_kind kind, uint32_t index);
/* Locals and labels of a function, fields of a type. */
struct wm_name wm_names_find_in(const struct wm_module *module, enum wm_name_kind kind, uint32_t outer, uint32_t index);

/* For the decoder: indexes the section; false when the arena is used up. */
bool wm_names_index(struct wm_module *module, struct wm_arena *arena);

#endif
