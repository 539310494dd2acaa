/* One instruction as bytes: its opcode and immediates, without any validation (Binary Format: Instructions).
 *
 * The walk validates what is read here; where a module has been found invalid already, this alone reads on, because the
 * rest may still turn out to be malformed. Everything comes from the opcode table's immediate kinds. */
#ifndef WM_DECODER_INSN_H
#define WM_DECODER_INSN_H

#include "decoder/walk.h"

/* Reads an opcode of one or more bytes: WM_OP_COUNT when stopped ("illegal opcode"). */
uint16_t wm_read_opcode(struct wm_reader *r);
/* Reads the immediates of insn->op into *insn. Block types come back in `index` and `type` as walk.h says; the items of
 * vectors are read too, so that the reader stands behind the instruction. */
void wm_read_immediates(struct wm_reader *r, const struct wm_module *module, struct wm_insn *insn);
/* Flags and offset of a memory access. */
void wm_read_memarg(struct wm_reader *r, struct wm_insn *insn);
struct wm_catch wm_read_catch(struct wm_reader *r);

#endif
