/* One instruction as text, in the text format's own spelling (Text Format: Instructions).
 *
 * Plain, not folded, indices as numbers; what the format lets one leave out (memory 0, table 0 where it is only a default, no
 * offset, natural alignment) is left out. Floats are exact hexadecimal ones unless the caller brings a formatter. */
#ifndef WM_DECODER_DISASM_H
#define WM_DECODER_DISASM_H

#include "decoder/walk.h"

/* Writes the number with these bits as a literal of at most `size` bytes, not terminated; returns its length. */
typedef size_t wm_float_text(uint64_t bits, bool is_64, char *text, size_t size);

/* Writes the instruction, terminated, into `size` bytes; returns the text's length, which is not below `size` when
 * it was cut. `floats` may be NULL. The instruction is one that a walk of this module has given. */
size_t wm_disasm(const struct wm_module *module, const struct wm_insn *insn, wm_float_text *floats, char *text, size_t size);
/* The same for one value type: `i32`, `funcref`, `(ref null 3)`. */
size_t wm_disasm_type(const struct wm_module *module, wm_valtype type, char *text, size_t size);

#endif
