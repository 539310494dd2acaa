/* What the files of the walk share: the operand stack and the label stack (Appendix: Validation Algorithm).
 *
 * A breach is noted in the reader (`invalid`) and the step goes on to its end with harmless values; the step's result tells.
 * Only an index that would be used to look something up returns early. Before each instruction there is room for
 * WM_WALK_HEADROOM more operands, so that instructions with few results push without asking; others call wm_walk_reserve. */
#ifndef WM_DECODER_WALK_INTERNAL_H
#define WM_DECODER_WALK_INTERNAL_H

#include "decoder/insn.h"
#include "decoder/walk.h"

#define WM_WALK_HEADROOM 4u

#define WM_MISMATCH "type mismatch"

static inline void wm_walk_invalid(struct wm_walk *w, const char *message)
{
  wm_reader_invalid(&w->reader, w->insn.offset, message);
}

static inline struct wm_label *wm_walk_top(struct wm_walk *w) { return &w->labels[w->label_count - 1]; }

/* Makes room for `count` more operands; false and stopped when there is none. */
bool wm_walk_reserve_slow(struct wm_walk *w, uint32_t count);
static inline bool wm_walk_reserve(struct wm_walk *w, uint32_t count)
{
  return count <= w->operand_capacity - w->operand_count || wm_walk_reserve_slow(w, count);
}

static inline void wm_walk_push(struct wm_walk *w, wm_valtype type)
{
  struct wm_operand *operand = &w->operands[w->operand_count++];
  operand->type = type;
  operand->slot = w->operand_slots;
  w->operand_slots += wm_type_slots(type);
  if (w->operand_slots > w->max_operand_slots)
    w->max_operand_slots = w->operand_slots;
}

/* Any operand; WM_TYPE_BOTTOM when unreachable code lets it come from nowhere. */
static inline wm_valtype wm_walk_pop(struct wm_walk *w)
{
  if (w->operand_count > w->floor) {
    const struct wm_operand *operand = &w->operands[--w->operand_count];
    w->operand_slots = operand->slot;
    return operand->type;
  }
  if (!wm_walk_top(w)->is_unreachable)
    wm_walk_invalid(w, WM_MISMATCH);
  return WM_TYPE_BOTTOM;
}

static inline void wm_walk_pop_type(struct wm_walk *w, wm_valtype expected)
{
  wm_valtype type = wm_walk_pop(w);
  if (type != expected && !wm_type_matches(w->module->types, type, expected))
    wm_walk_invalid(w, WM_MISMATCH);
}

/* A reference of any type; in unreachable code the bottom one. */
wm_valtype wm_walk_pop_ref(struct wm_walk *w);
/* Returns whether the operands were exactly of these types; then they are still there for wm_walk_push_popped. */
bool wm_walk_pop_types(struct wm_walk *w, const wm_valtype *types, uint32_t count);
void wm_walk_push_types(struct wm_walk *w, const wm_valtype *types, uint32_t count);
/* Pushes the types just popped, which `were_exact`, again; `slots` is the height in slots before they were popped. */
static inline void wm_walk_push_popped(struct wm_walk *w, const wm_valtype *types, uint32_t count, bool were_exact, uint32_t slots)
{
  if (!were_exact) {
    wm_walk_push_types(w, types, count);
    return;
  }
  w->operand_count += count;
  w->operand_slots = slots;
}
/* Pops and pushes the same types: the ways out of a conditional branch. */
static inline void wm_walk_pass_types(struct wm_walk *w, const wm_valtype *types, uint32_t count)
{
  uint32_t slots = w->operand_slots;
  bool were_exact = wm_walk_pop_types(w, types, count);
  wm_walk_push_popped(w, types, count, were_exact, slots);
}
/* Pops and pushes as a signature of the opcode table says. */
void wm_walk_plain(struct wm_walk *w, const char *signature, wm_valtype address);
/* What follows cannot be reached. */
void wm_walk_set_unreachable(struct wm_walk *w);
/* Opens a label with the parameters of one function type and the results of another (NULL: without any). */
bool wm_walk_push_label(struct wm_walk *w, uint16_t op, const struct wm_type *params, const struct wm_type *results);
/* The same for a label without parameters and with one result, kept in the label. */
bool wm_walk_push_result_label(struct wm_walk *w, uint16_t op, wm_valtype result);
/* Lays out parameters and declared locals. */
bool wm_walk_set_locals(struct wm_walk *w, const struct wm_type *type, const struct wm_local_group *groups,
                        uint32_t group_count);
/* Walks one instruction; false with the error in w->reader. */
bool wm_walk_step(struct wm_walk *w);
/* Walks to the end of a body in the same way, while a module is decoded. There are two of it: walk_all.c steps, walk_fast.c is for
 * speed. */
bool wm_walk_all(struct wm_walk *w);

/* The types a branch to the label takes along. */
static inline const wm_valtype *wm_label_types(const struct wm_label *label, uint32_t *count)
{
  if (label->op == WM_OP_LOOP) {
    *count = label->param_count;
    return label->params;
  }
  *count = label->result_count;
  return label->results;
}

/* The index type of a memory or table. */
static inline wm_valtype wm_address_type(const struct wm_limits_type *limits)
{
  return limits->is_64 ? WM_TYPE_I64 : WM_TYPE_I32;
}

/* Index checks by name; false (and noted as invalid) when there is no such thing. */
bool wm_walk_has_func(struct wm_walk *w, uint32_t index);
bool wm_walk_has_table(struct wm_walk *w, uint32_t index);
bool wm_walk_has_memory(struct wm_walk *w, uint32_t index);
bool wm_walk_has_label(struct wm_walk *w, uint32_t depth);
bool wm_walk_has_data(struct wm_walk *w, uint32_t index);
bool wm_walk_has_elem(struct wm_walk *w, uint32_t index);

/* The families. The opcode and its immediates stand in w->insn. */
void wm_walk_block(struct wm_walk *w); /* block, loop, if, try_table */
void wm_walk_else(struct wm_walk *w);
void wm_walk_end(struct wm_walk *w);
void wm_walk_control(struct wm_walk *w);   /* branches, calls, exceptions */
void wm_walk_reference(struct wm_walk *w); /* ref.*, br_on_*, i31, conversions */
void wm_walk_aggregate(struct wm_walk *w); /* struct.* and array.* */
void wm_walk_bulk(struct wm_walk *w);      /* tables, memory.copy */
/* Notes a breach unless w->insn may stand in a constant expression. */
bool wm_walk_check_constant(struct wm_walk *w);

#endif
