/* Walking one function body or constant expression: each step decodes AND validates one instruction (Validation:
 * Instructions; the algorithm of the specification's appendix).
 *
 * wm_module_decode walks every body once. Lowering, the disassembler and the debugger walk it again with the same code, so
 * operand heights, types and label targets have one source. The walk needs scratch memory of its caller (sizes are known
 * from struct wm_func once a module is decoded). No recursion; one pass; the fast path is meant to run at 100 MB/s or more. */
#ifndef WM_DECODER_WALK_H
#define WM_DECODER_WALK_H

#include "decoder/module.h"
#include "decoder/opcode.h"
#include "decoder/reader.h"

/* One decoded instruction. Which members are set is told by the opcode's immediate kind (opcodes.def). */
struct wm_insn {
  uint16_t op;       /* enum wm_op */
  uint8_t lane;      /* lane index */
  uint8_t cast_flags; /* br_on_cast: bit 0 source nullable, bit 1 target nullable */
  uint32_t length;   /* bytes */
  uint64_t offset;   /* byte in the module file */
  uint32_t index;    /* local, global, function, table, memory (also of memargs), type (CANONICAL id), tag, segment, label */
  uint32_t index2;   /* second index: call_indirect's table, copy's source, init's memory or table, field number … */
  uint32_t module_type; /* where `index` or `type` names a defined type: the module's own index, for disassembly */
  uint32_t module_type2; /* the same of array.copy's source type and of `type2` */
  uint32_t align_log2;
  wm_valtype type;   /* ref.null, select t, ref.test/cast, br_on_cast's target */
  wm_valtype type2;  /* br_on_cast's source */
  union {
    uint64_t address_offset; /* memarg */
    uint64_t integer;        /* i32.const (zero-extended bits), i64.const */
    uint64_t bits;           /* f32.const, f64.const bit pattern */
    uint64_t v128[2];        /* v128.const, i8x16.shuffle lanes: little-endian */
  } imm;
  uint64_t vector_offset;    /* br_table targets, try_table catches, select types: byte in the module file where the vector's items begin */
  uint32_t vector_count;     /* br_table: without the default, which is `index` */
};

struct wm_label {
  uint16_t op;             /* BLOCK, LOOP, IF, ELSE, TRY_TABLE, or the function's own: BLOCK at depth 0 */
  bool is_unreachable;     /* code after an unconditional branch in it */
  bool was_unreachable;    /* the construct itself stands in unreachable code: never executed */
  uint32_t height;         /* operand stack VALUES below the construct's own, parameters not included */
  uint32_t height_slots;   /* the same in slots */
  uint32_t param_count, result_count;
  const wm_valtype *params, *results;
  uint32_t param_slots, result_slots;
  uint32_t init_height;    /* of the initialised-locals stack */
  uint64_t offset;         /* byte of the opcode that opened it */
  uint32_t tag;            /* free for the walk's user: e.g. an index into its fix-up table */
  uint32_t checked;        /* the walk's: number of the latest br_table that was checked against this label */
  wm_valtype single;       /* where `results` points when the block type is one value type: mind it when copying a label */
};

struct wm_operand {
  wm_valtype type;
  uint32_t slot; /* first slot, counted from the operand stack's bottom (add local_slots for the frame slot) */
};

struct wm_walk {
  /* Read-only for users. State BEFORE the next instruction, or after the one just returned. */
  const struct wm_module *module;
  const struct wm_func *func;    /* NULL for a constant expression */
  struct wm_insn insn;           /* the instruction just walked */
  bool insn_unreachable;         /* it stood in unreachable code; of END and ELSE: control does not fall into it */
  uint32_t insn_number;          /* its ordinal in the body, from 0 */
  /* Counts and slots stand apart: copied as one pair, they would be loaded before their two stores have arrived. */
  uint32_t popped_count;         /* height BEFORE the instruction (of reachable ones), in values */
  struct wm_operand *operands; uint32_t operand_count;
  uint32_t label_count; struct wm_label *labels; /* innermost last */
  uint32_t operand_slots;
  uint32_t popped_slots;         /* height before the instruction in slots */
  struct wm_label ended;         /* after END or ELSE: the label it closed */
  bool is_done;                  /* the body's last END has been walked */
  struct wm_error error;
  /* The rest belongs to walk*.c. */
  struct wm_reader reader;
  uint32_t next_number;
  uint32_t floor;                /* height of the innermost label */
  bool is_dead;                  /* the next instruction stands in unreachable code */
  bool is_decoding;              /* the module is not complete yet: buffers grow from the end of the arena */
  uint32_t local_count;
  wm_valtype *local_types;       /* all locals, parameters first */
  uint32_t *local_slots;         /* NULL where a local's slot is its index */
  uint8_t *local_is_init;        /* NULL when every local has a default value, else: */
  uint8_t *init_flags;
  uint32_t *init_stack; uint32_t init_count; /* locals set so far that have none */
  uint32_t operand_capacity, label_capacity, local_capacity, init_capacity;
  uint32_t max_operand_slots, max_labels, branch_target_count, handler_count;
  uint32_t data_count;           /* segments that may be named; WM_NO_INDEX without a data count section */
  struct wm_arena *scratch;
  const struct wm_limits *limits;
};

/* Begins at a decoded function's first instruction. Scratch comes from `scratch` (the caller resets it afterwards);
 * false when it cannot hold it. Only for functions with a body. */
bool wm_walk_begin(struct wm_walk *walk, const struct wm_module *module, uint32_t func, struct wm_arena *scratch);
/* The same for a constant expression of a decoded module (`expected` is its type). */
bool wm_walk_begin_const(struct wm_walk *walk, const struct wm_module *module, const struct wm_const_expr *expr,
                         wm_valtype expected, struct wm_arena *scratch);
/* Scratch bytes that a walk of this body, or of this constant expression, takes at most (beginning and all steps together; the arena's base
 * aligned to 16). Whoever walks a decoded module reserves it beforehand, so that the walk cannot fail. */
uint64_t wm_walk_scratch(const struct wm_func *func);
uint64_t wm_walk_scratch_const(const struct wm_const_expr *expr);
/* Walks one instruction; false at the end (is_done) or on an error (error.status): never the latter in a decoded module,
 * except WM_NO_SPACE of the scratch arena. */
bool wm_walk_next(struct wm_walk *walk);
/* Label `depth` counted from the innermost, 0 first. */
static inline struct wm_label *wm_walk_label(const struct wm_walk *walk, uint32_t depth)
{
  return &walk->labels[walk->label_count - 1 - depth];
}
wm_valtype wm_walk_local(const struct wm_walk *walk, uint32_t index);
/* First frame slot of a local. */
uint32_t wm_walk_local_slot(const struct wm_walk *walk, uint32_t index);

/* Reading the vectors of br_table and try_table: *position starts at insn.vector_offset. */
uint32_t wm_walk_read_label(const struct wm_module *module, uint64_t *position);
enum wm_catch_kind { WM_CATCH = 0, WM_CATCH_REF, WM_CATCH_ALL, WM_CATCH_ALL_REF };
struct wm_catch { uint8_t kind; uint32_t tag; uint32_t label; };
struct wm_catch wm_walk_read_catch(const struct wm_module *module, uint64_t *position);

#endif
