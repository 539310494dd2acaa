/* Names and types of the binary format, see read_type.h (Binary Format: Types, Names).
 *
 * Abstract heap types and value types are single bytes that read as negative numbers; anything else is a type index. */
#include "decoder/read_type.h"

/* Codes of abstract heap types, from 0x69 up. */
#define HEAP_CODE_FIRST 0x69
static const uint8_t heap_by_code[] = {
  WM_HEAP_EXN, WM_HEAP_ARRAY, WM_HEAP_STRUCT, WM_HEAP_I31, WM_HEAP_EQ, WM_HEAP_ANY,
  WM_HEAP_EXTERN, WM_HEAP_FUNC, WM_HEAP_NONE, WM_HEAP_NOEXTERN, WM_HEAP_NOFUNC, WM_HEAP_NOEXN,
};
#define CODE_REF 0x64
#define CODE_REF_NULL 0x63

static bool is_heap_code(uint8_t code)
{
  return code >= HEAP_CODE_FIRST && code < HEAP_CODE_FIRST + sizeof heap_by_code;
}

struct wm_name wm_read_name(struct wm_reader *r)
{
  struct wm_name name = {r->at, 0};
  uint32_t length = wm_read_u32(r);
  uint64_t start = wm_reader_offset(r);
  const uint8_t *bytes = wm_read_bytes(r, length);
  if (wm_reader_stopped(r))
    return name;
  size_t valid = wm_utf8_check(bytes, length);
  if (valid != length) {
    wm_reader_malformed(r, start + valid, "malformed UTF-8 encoding");
    return name;
  }
  name.bytes = bytes;
  name.length = length;
  return name;
}

static uint32_t type_id(struct wm_reader *r, const struct wm_module *module, uint32_t index, uint64_t offset)
{
  if (index < module->type_count)
    return module->type_ids[index];
  wm_reader_invalid(r, offset, "unknown type");
  return 0;
}

uint32_t wm_read_type_index(struct wm_reader *r, const struct wm_module *module, uint32_t *module_type)
{
  uint64_t offset = wm_reader_offset(r);
  uint32_t index = wm_read_u32(r);
  if (module_type != NULL)
    *module_type = index;
  return type_id(r, module, index, offset);
}

uint32_t wm_read_heap_type(struct wm_reader *r, const struct wm_module *module, uint32_t *module_type)
{
  uint64_t offset = wm_reader_offset(r);
  if (r->at < r->end && is_heap_code(*r->at))
    return heap_by_code[*r->at++ - HEAP_CODE_FIRST];
  int64_t index = wm_read_leb_signed(r, 33);
  if (wm_reader_stopped(r))
    return WM_HEAP_ANY;
  if (index < 0) {
    wm_reader_malformed(r, offset, "malformed heap type");
    return WM_HEAP_ANY;
  }
  if (index >= module->type_count) {
    wm_reader_invalid(r, offset, "unknown type");
    return WM_HEAP_ANY;
  }
  if (module_type != NULL)
    *module_type = (uint32_t)index;
  return WM_HEAP_FIRST_ID + module->type_ids[index];
}

/* The reference type that begins with `code`, whose byte has been read. */
static wm_valtype reftype_after(struct wm_reader *r, const struct wm_module *module, uint8_t code, const char *message)
{
  uint64_t offset = wm_reader_offset(r) - 1;
  if (is_heap_code(code))
    return WM_REF(heap_by_code[code - HEAP_CODE_FIRST], true);
  if (code == CODE_REF || code == CODE_REF_NULL)
    return WM_REF(wm_read_heap_type(r, module, NULL), code == CODE_REF_NULL);
  if (!wm_reader_stopped(r))
    wm_reader_malformed(r, offset, message);
  return WM_REF(WM_HEAP_ANY, true);
}

wm_valtype wm_read_reftype(struct wm_reader *r, const struct wm_module *module)
{
  return reftype_after(r, module, wm_read_u8(r), "malformed reference type");
}

wm_valtype wm_read_valtype(struct wm_reader *r, const struct wm_module *module)
{
  uint8_t code = wm_read_u8(r);
  if (code >= WM_TYPE_V128 && code <= WM_TYPE_I32)
    return code;
  return reftype_after(r, module, code, "malformed value type");
}

wm_valtype wm_read_storage_type(struct wm_reader *r, const struct wm_module *module)
{
  if (r->at < r->end && (*r->at == WM_TYPE_I8 || *r->at == WM_TYPE_I16))
    return *r->at++;
  return wm_read_valtype(r, module);
}

struct wm_block_type wm_read_block_type(struct wm_reader *r, const struct wm_module *module)
{
  struct wm_block_type block = {false, WM_TYPE_BOTTOM, 0, 0};
  uint64_t offset = wm_reader_offset(r);
  if (r->at < r->end && *r->at == WM_CODE_EMPTY_BLOCK) {
    r->at++;
    return block;
  }
  if (r->at < r->end && *r->at > WM_CODE_EMPTY_BLOCK && *r->at < 0x80) {
    block.type = wm_read_valtype(r, module);
    return block;
  }
  int64_t index = wm_read_leb_signed(r, 33);
  if (wm_reader_stopped(r))
    return block;
  if (index < 0) {
    wm_reader_malformed(r, offset, "malformed block type");
    return block;
  }
  block.has_id = true;
  block.module_type = (uint32_t)index;
  block.id = type_id(r, module, (uint32_t)index, offset);
  if (wm_reader_is_good(r) && wm_types_get(module->types, block.id)->composite != WM_COMPOSITE_FUNC)
    wm_reader_invalid(r, offset, "unknown type");
  return block;
}
