/* Making and filling structures, arrays and exceptions: what instructions and constant expressions share (aggregate.c).
 *
 * A structure has one word for each field (v128: two), an array one (two) for each element; packed i8 and i16 take a whole word, of
 * which reading looks at the low bits. Makers may collect: references in `operands` must stand where the collector finds them. */
#ifndef WM_INTERP_AGGREGATE_H
#define WM_INTERP_AGGREGATE_H

#include "interp/instance.h"

/* Fields as they stand on the operand stack; NULL: defaults. */
enum wm_trap wm_struct_make(struct wm_store *store, uint32_t type, const uint64_t *operands, uint64_t *ref);
/* `length` elements, all equal to the value at `element`; NULL: defaults. */
enum wm_trap wm_array_make(struct wm_store *store, uint32_t type, uint64_t length, const uint64_t *element, uint64_t *ref);
/* `length` elements from the operand stack. */
enum wm_trap wm_array_make_fixed(struct wm_store *store, uint32_t type, uint64_t length, const uint64_t *operands, uint64_t *ref);
/* Elements read from a data segment's bytes, or from an element segment: the segment's bounds first. */
enum wm_trap wm_array_make_data(struct wm_store *store, uint32_t type, uint64_t length, const struct wm_data_instance *segment, uint64_t source,
                                uint64_t *ref);
enum wm_trap wm_array_make_elem(struct wm_store *store, uint32_t type, uint64_t length, const struct wm_element_instance *segment,
                                uint64_t source, uint64_t *ref);

/* Bounds of a range of an existing array (not null), and of a segment's bytes for `count` elements of `type`. */
enum wm_trap wm_array_check(const struct wm_store *store, uint64_t ref, uint64_t at, uint64_t count);
enum wm_trap wm_array_check_data(const struct wm_store *store, uint32_t type, const struct wm_data_instance *segment, uint64_t source,
                                 uint64_t count);
/* On ranges that have been checked. */
void wm_array_fill(struct wm_store *store, uint64_t ref, uint64_t at, const uint64_t *element, uint64_t count);
void wm_array_copy(struct wm_store *store, uint64_t to, uint64_t at, uint64_t from, uint64_t source, uint64_t count);
void wm_array_init_data(struct wm_store *store, uint64_t ref, uint64_t at, const struct wm_data_instance *segment, uint64_t source,
                        uint64_t count);
void wm_array_init_elem(struct wm_store *store, uint64_t ref, uint64_t at, const struct wm_element_instance *segment, uint64_t source,
                        uint64_t count);
/* Bytes of the heap that `count` elements take. */
uint64_t wm_array_bytes(const struct wm_store *store, uint32_t type, uint64_t count);

/* Does this reference (null included) belong to the reference type `type`? */
bool wm_ref_is(const struct wm_store *store, uint64_t ref, wm_valtype type);

#endif
