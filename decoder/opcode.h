/* The opcode table as C: the enumeration of instructions and one constant row for each (opcodes.def is the source).
 *
 * Text names, immediates, plain signatures and memory widths are looked up here by everybody: the walk, the disassembler,
 * the lowering, the debugger. Nothing is owned or changed. */
#ifndef WM_DECODER_OPCODE_H
#define WM_DECODER_OPCODE_H

#include <stdint.h>

enum wm_op {
#define WM_OP(NAME, prefix, code, text, immediates, signature, access, bytes) WM_OP_##NAME,
#include "decoder/opcodes.def"
#undef WM_OP
  WM_OP_COUNT /* also: no such instruction */
};

/* What follows the opcode, and where struct wm_insn (walk.h) has it. */
enum wm_imm {
  WM_IMM_NONE,
  WM_IMM_BLOCK,         /* block type: type (WM_TYPE_BOTTOM: none) with index = WM_NO_INDEX, or index = canonical id and
                           module_type */
  WM_IMM_TRY_TABLE,     /* block type; vector of catches */
  WM_IMM_LABEL,         /* index */
  WM_IMM_BR_TABLE,      /* vector of labels; index = default label */
  WM_IMM_FUNC,          /* index */
  WM_IMM_TYPE,          /* index = canonical id, module_type */
  WM_IMM_CALL_INDIRECT, /* index = canonical id, module_type; index2 = table */
  WM_IMM_TAG,           /* index */
  WM_IMM_SELECT_T,      /* type; vector of one type */
  WM_IMM_LOCAL,         /* index */
  WM_IMM_GLOBAL,        /* index */
  WM_IMM_TABLE,         /* index */
  WM_IMM_TABLE_TABLE,   /* index = destination, index2 = source */
  WM_IMM_ELEM,          /* index */
  WM_IMM_ELEM_TABLE,    /* index = segment, index2 = table */
  WM_IMM_MEMORY,        /* index */
  WM_IMM_MEMORY_MEMORY, /* index = destination, index2 = source */
  WM_IMM_DATA,          /* index */
  WM_IMM_DATA_MEMORY,   /* index = segment, index2 = memory */
  WM_IMM_MEMARG,        /* index = memory, align_log2, imm.address_offset */
  WM_IMM_MEMARG_LANE,   /* the same and lane */
  WM_IMM_LANE,          /* lane */
  WM_IMM_I32,           /* imm.integer */
  WM_IMM_I64,           /* imm.integer */
  WM_IMM_F32,           /* imm.bits */
  WM_IMM_F64,           /* imm.bits */
  WM_IMM_V128,          /* imm.v128 */
  WM_IMM_SHUFFLE,       /* imm.v128: sixteen lane numbers */
  WM_IMM_HEAP,          /* type: the reference type meant, not nullable */
  WM_IMM_HEAP_NULL,     /* type: the same, nullable */
  WM_IMM_BR_CAST,       /* index = label; type2 = source, type = target; cast_flags */
  WM_IMM_FIELD,         /* index = canonical id, module_type; index2 = field */
  WM_IMM_TYPE_COUNT,    /* index = canonical id, module_type; index2 = operand count */
  WM_IMM_TYPE_TYPE,     /* index, index2 = canonical ids of destination and source, module_type, module_type2 */
  WM_IMM_TYPE_DATA,     /* index = canonical id, module_type; index2 = segment */
  WM_IMM_TYPE_ELEM,     /* index = canonical id, module_type; index2 = segment */
};

enum wm_access { WM_ACCESS_NONE, WM_ACCESS_LOAD, WM_ACCESS_STORE };

struct wm_opcode {
  const char *text;      /* the text format's spelling */
  const char *signature; /* as opcodes.def explains; "" when the typing is special */
  uint16_t code;
  uint8_t prefix;        /* 0: none */
  uint8_t immediates;    /* enum wm_imm */
  uint8_t access;        /* enum wm_access */
  uint8_t access_bytes;
};

extern const struct wm_opcode wm_opcodes[WM_OP_COUNT];

/* Opcodes by their bytes: one-byte ones, and the numbers after each prefix. Entries are enum wm_op + 1; 0: none. */
#define WM_OP_FB_COUNT 0x20
#define WM_OP_FC_COUNT 0x20
#define WM_OP_FD_COUNT 0x120
extern const uint16_t wm_op_by_byte[256];
extern const uint16_t wm_op_by_fb[WM_OP_FB_COUNT];
extern const uint16_t wm_op_by_fc[WM_OP_FC_COUNT];
extern const uint16_t wm_op_by_fd[WM_OP_FD_COUNT];

/* The instruction of that encoding, WM_OP_COUNT when there is none. Prefix 0 is the one-byte space. */
enum wm_op wm_op_find(uint8_t prefix, uint32_t code);

#endif
