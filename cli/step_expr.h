/* Expressions of the debugger: numbers, C's operators, and what a stopped run holds.
 *
 *   l0 l1 … NAME      locals of the selected frame          s0 s1 …    its operand stack, s0 on top
 *   g0 g1 … NAME      globals (locals' names come first)    u8[A] i16[A] u32[A] i64[A] f32[A] f64[A] v128[A], u8[A, MEMORY]
 *   input_ptr input_size output output_size instruction offset function depth memory_size
 *
 * Integers compute in 64 bits, i32 with its sign; floats as doubles as soon as one takes part. Addresses of a 32-bit memory that come out
 * negative mean their low 32 bits. Nothing is changed by evaluating. */
#ifndef WM_CLI_STEP_EXPR_H
#define WM_CLI_STEP_EXPR_H

#include "cli/step.h"

enum wm_home { WM_HOME_NONE, WM_HOME_SLOT, WM_HOME_GLOBAL, WM_HOME_MEMORY };

struct wm_term {
  struct wm_value value;   /* type 0: a plain integer in bits[0] */
  bool is_unsigned;        /* of a narrow memory access */
  uint8_t home;            /* enum wm_home: where a lone value stands */
  uint32_t index;          /* memory, global, or frame depth */
  uint64_t at;             /* address or slot */
  uint32_t bytes;          /* of its home */
};

/* Reads an expression from *text and leaves it behind. False: d->problem says why. */
bool wm_expr_read(struct wm_debugger *d, const char **text, struct wm_term *term);
/* All of `text`. */
bool wm_expr_all(struct wm_debugger *d, const char *text, struct wm_term *term);
/* As an unsigned number; false (and a problem) for floats, vectors and references. */
bool wm_expr_number(struct wm_debugger *d, const struct wm_term *term, uint64_t *number);
bool wm_expr_is_true(const struct wm_term *term);
/* An address in a memory: wrapped to 32 bits where the memory has them. */
bool wm_expr_address(struct wm_debugger *d, const struct wm_term *term, uint32_t memory, uint64_t *address);
/* `format`: 0 or one of x d u t c. */
void wm_expr_print(struct wm_debugger *d, const struct wm_term *term, char format);
/* Writes the term's value into another's home as an edit. False: problem. */
bool wm_expr_assign(struct wm_debugger *d, const struct wm_term *home, const struct wm_term *value);

#endif
