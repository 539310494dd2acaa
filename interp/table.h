/* Table operations that instructions and initialisation share (table.c). All check bounds first and change nothing when they trap. */
#ifndef WM_INTERP_TABLE_H
#define WM_INTERP_TABLE_H

#include "interp/instance.h"

enum wm_trap wm_table_fill(struct wm_table_instance *table, uint64_t at, uint64_t ref, uint64_t count);
/* Overlapping ranges of one table are copied as if all were read first. */
enum wm_trap wm_table_copy(struct wm_table_instance *to, uint64_t at, const struct wm_table_instance *from, uint64_t source, uint64_t count);
enum wm_trap wm_table_init(struct wm_table_instance *table, uint64_t at, const struct wm_element_instance *segment, uint64_t source,
                           uint64_t count);
/* Whom call_indirect means: checks in the order bounds, null, type. */
enum wm_trap wm_table_callee(const struct wm_instance *instance, uint32_t index, uint64_t at, uint32_t type, struct wm_function **callee);

#endif
