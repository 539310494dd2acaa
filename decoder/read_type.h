/* Reading types (Binary Format: Types): value, reference, heap and block types, with the module's type indices turned into
 * canonical ids at once.
 *
 * An index beyond the types known so far is a breach of validation, not of the format: the reader notes "unknown type" and
 * gets a harmless type instead. */
#ifndef WM_DECODER_READ_TYPE_H
#define WM_DECODER_READ_TYPE_H

#include "decoder/module.h"
#include "decoder/reader.h"

/* A name: length and UTF-8 bytes (Binary Format: Names). */
struct wm_name wm_read_name(struct wm_reader *r);
/* A type index: the canonical id is returned, the module's own index stored unless NULL. */
uint32_t wm_read_type_index(struct wm_reader *r, const struct wm_module *module, uint32_t *module_type);
/* enum wm_heap or WM_HEAP_FIRST_ID + canonical id; then the module's own index is stored unless NULL. */
uint32_t wm_read_heap_type(struct wm_reader *r, const struct wm_module *module, uint32_t *module_type);
wm_valtype wm_read_reftype(struct wm_reader *r, const struct wm_module *module);
wm_valtype wm_read_valtype(struct wm_reader *r, const struct wm_module *module);
/* Value types and the packed ones. */
wm_valtype wm_read_storage_type(struct wm_reader *r, const struct wm_module *module);

#define WM_CODE_EMPTY_BLOCK 0x40
/* Block types: no result (type WM_TYPE_BOTTOM), one result (type), or a function type (canonical id, type WM_TYPE_BOTTOM). */
struct wm_block_type {
  bool has_id;
  wm_valtype type;
  uint32_t id, module_type;
};
struct wm_block_type wm_read_block_type(struct wm_reader *r, const struct wm_module *module);

#endif
