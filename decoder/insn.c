/* Reading opcodes and immediates, driven by the opcode table (Binary Format: Instructions). See insn.h. */
#include "decoder/insn.h"

#include "decoder/read_type.h"

#define MEMARG_HAS_MEMORY 0x40u
#define MEMARG_ALIGN_MASK 0x3fu
#define CAST_FLAGS_MASK 0x03u

uint16_t wm_read_opcode(struct wm_reader *r)
{
  uint64_t offset = wm_reader_offset(r);
  uint8_t byte = wm_read_u8(r);
  enum wm_op op = WM_OP_COUNT;
  if (wm_reader_stopped(r))
    return WM_OP_COUNT;
  if (byte == 0xfb || byte == 0xfc || byte == 0xfd)
    op = wm_op_find(byte, wm_read_u32(r));
  else
    op = wm_op_find(0, byte);
  if (op == WM_OP_COUNT)
    wm_reader_malformed(r, offset, "illegal opcode");
  return (uint16_t)op;
}

void wm_read_memarg(struct wm_reader *r, struct wm_insn *insn)
{
  uint64_t offset = wm_reader_offset(r);
  uint32_t flags = wm_read_u32(r);
  insn->index = 0;
  if (flags > (MEMARG_HAS_MEMORY | MEMARG_ALIGN_MASK))
    wm_reader_malformed(r, offset, "malformed memop flags");
  if ((flags & MEMARG_HAS_MEMORY) != 0)
    insn->index = wm_read_u32(r);
  insn->align_log2 = flags & MEMARG_ALIGN_MASK;
  insn->imm.address_offset = wm_read_u64(r);
}

struct wm_catch wm_read_catch(struct wm_reader *r)
{
  struct wm_catch clause = {0, 0, 0};
  uint64_t offset = wm_reader_offset(r);
  clause.kind = wm_read_u8(r);
  if (clause.kind > WM_CATCH_ALL_REF)
    wm_reader_malformed(r, offset, "malformed catch clause");
  if (clause.kind == WM_CATCH || clause.kind == WM_CATCH_REF)
    clause.tag = wm_read_u32(r);
  clause.label = wm_read_u32(r);
  return clause;
}

static void read_block(struct wm_reader *r, const struct wm_module *module, struct wm_insn *insn)
{
  struct wm_block_type block = wm_read_block_type(r, module);
  insn->type = block.type;
  insn->index = block.has_id ? block.id : WM_NO_INDEX;
  insn->module_type = block.module_type;
}

/* Begins a vector: count and place of its items. */
static void read_vector(struct wm_reader *r, struct wm_insn *insn)
{
  insn->vector_count = wm_read_count(r);
  insn->vector_offset = wm_reader_offset(r);
}

static void read_lanes(struct wm_reader *r, struct wm_insn *insn)
{
  insn->imm.v128[0] = wm_read_little_endian(r, 8);
  insn->imm.v128[1] = wm_read_little_endian(r, 8);
}

static void read_br_cast(struct wm_reader *r, const struct wm_module *module, struct wm_insn *insn)
{
  uint64_t offset = wm_reader_offset(r);
  insn->cast_flags = wm_read_u8(r);
  if (insn->cast_flags > CAST_FLAGS_MASK)
    wm_reader_malformed(r, offset, "malformed br_on_cast flags");
  insn->index = wm_read_u32(r);
  insn->type2 = WM_REF(wm_read_heap_type(r, module, &insn->module_type2), (insn->cast_flags & 1) != 0);
  insn->type = WM_REF(wm_read_heap_type(r, module, &insn->module_type), (insn->cast_flags & 2) != 0);
}

void wm_read_immediates(struct wm_reader *r, const struct wm_module *module, struct wm_insn *insn)
{
  switch (wm_opcodes[insn->op].immediates) {
  case WM_IMM_NONE:
    break;
  case WM_IMM_BLOCK:
    read_block(r, module, insn);
    break;
  case WM_IMM_TRY_TABLE:
    read_block(r, module, insn);
    read_vector(r, insn);
    for (uint32_t i = 0; i < insn->vector_count && !wm_reader_stopped(r); i++)
      wm_read_catch(r);
    break;
  case WM_IMM_BR_TABLE:
    read_vector(r, insn);
    for (uint32_t i = 0; i < insn->vector_count && !wm_reader_stopped(r); i++)
      wm_read_u32(r);
    insn->index = wm_read_u32(r);
    break;
  case WM_IMM_SELECT_T:
    read_vector(r, insn);
    for (uint32_t i = 0; i < insn->vector_count && !wm_reader_stopped(r); i++)
      insn->type = wm_read_valtype(r, module);
    break;
  case WM_IMM_LABEL:
  case WM_IMM_FUNC:
  case WM_IMM_TAG:
  case WM_IMM_LOCAL:
  case WM_IMM_GLOBAL:
  case WM_IMM_TABLE:
  case WM_IMM_ELEM:
  case WM_IMM_MEMORY:
  case WM_IMM_DATA:
    insn->index = wm_read_u32(r);
    break;
  case WM_IMM_TABLE_TABLE:
  case WM_IMM_ELEM_TABLE:
  case WM_IMM_MEMORY_MEMORY:
  case WM_IMM_DATA_MEMORY:
    insn->index = wm_read_u32(r);
    insn->index2 = wm_read_u32(r);
    break;
  case WM_IMM_TYPE:
    insn->index = wm_read_type_index(r, module, &insn->module_type);
    break;
  case WM_IMM_CALL_INDIRECT:
  case WM_IMM_FIELD:
  case WM_IMM_TYPE_COUNT:
  case WM_IMM_TYPE_DATA:
  case WM_IMM_TYPE_ELEM:
    insn->index = wm_read_type_index(r, module, &insn->module_type);
    insn->index2 = wm_read_u32(r);
    break;
  case WM_IMM_TYPE_TYPE:
    insn->index = wm_read_type_index(r, module, &insn->module_type);
    insn->index2 = wm_read_type_index(r, module, &insn->module_type2);
    break;
  case WM_IMM_MEMARG:
    wm_read_memarg(r, insn);
    break;
  case WM_IMM_MEMARG_LANE:
    wm_read_memarg(r, insn);
    insn->lane = wm_read_u8(r);
    break;
  case WM_IMM_LANE:
    insn->lane = wm_read_u8(r);
    break;
  case WM_IMM_I32:
    insn->imm.integer = (uint32_t)wm_read_s32(r);
    break;
  case WM_IMM_I64:
    insn->imm.integer = (uint64_t)wm_read_s64(r);
    break;
  case WM_IMM_F32:
    insn->imm.bits = wm_read_little_endian(r, 4);
    break;
  case WM_IMM_F64:
    insn->imm.bits = wm_read_little_endian(r, 8);
    break;
  case WM_IMM_V128:
  case WM_IMM_SHUFFLE:
    read_lanes(r, insn);
    break;
  case WM_IMM_HEAP:
    insn->type = WM_REF(wm_read_heap_type(r, module, &insn->module_type), false);
    break;
  case WM_IMM_HEAP_NULL:
    insn->type = WM_REF(wm_read_heap_type(r, module, &insn->module_type), true);
    break;
  case WM_IMM_BR_CAST:
    read_br_cast(r, module, insn);
    break;
  }
}
