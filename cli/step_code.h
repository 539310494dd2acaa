/* The code of what is being stepped: instructions as text, places by name, offsets and ordinals, types of the values in a frame.
 *
 * Everything is found by walking a body again with decoder/walk.h; nothing is kept but one block of scratch memory, which the owner
 * gives back with wm_code_close. */
#ifndef WM_CLI_STEP_CODE_H
#define WM_CLI_STEP_CODE_H

#include "cli/session.h"
#include "decoder/walk.h"

struct wm_code {
  struct wm_session *session;
  struct wm_arena scratch;
};

struct wm_place { uint32_t function, ordinal; uint64_t offset; };

void wm_code_open(struct wm_code *code, struct wm_session *session);
void wm_code_close(struct wm_code *code);

/* Walks a body so far that `ordinal` instructions are done: the walk's operands are those before the next one. False for imports. */
bool wm_code_walk(struct wm_code *code, struct wm_walk *walk, uint32_t function, uint32_t ordinal);
/* One instruction: its operation (enum wm_op, WM_OP_COUNT when there is none), and its text if `text` is not NULL. */
uint16_t wm_code_instruction(struct wm_code *code, uint32_t function, uint32_t ordinal, struct wm_insn *insn, struct wm_buffer *text);
/* `NAME (wasm-function[N])`, or only the latter. */
void wm_code_name(struct wm_code *code, struct wm_buffer *text, uint32_t function);
/* Lines `=> 0x01b4  i32.add` of the instructions [first, last), the current one marked; WM_NO_INDEX: none is. */
void wm_code_list(struct wm_code *code, struct wm_buffer *text, uint32_t function, uint32_t first, uint32_t last, uint32_t current);
/* `NAME`, `NAME+OFFSET` (bytes behind the first instruction), `wasm-function[N]`, an export's name, or a byte offset of the module: false,
 * and why in `problem`, when there is no such place. */
bool wm_code_find(struct wm_code *code, const char *text, struct wm_place *place, struct wm_buffer *problem);
/* A function by name, export or `wasm-function[N]` or `[N]`; WM_NO_INDEX when there is none, `count` how many have that name. */
uint32_t wm_code_find_function(struct wm_code *code, const char *text, size_t length, uint32_t *count);
/* The place whose instruction stands at or after that byte of a function. */
bool wm_code_place_at(struct wm_code *code, uint32_t function, uint64_t offset, struct wm_place *place);

#endif
