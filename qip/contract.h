/* The component contract: which generation a decoded module belongs to, and everything it declares.
 *
 * render(i32) -> i64 is V3, render(i32) -> i32 V2, run(i32) -> i32 V1; a module that fits several is an error. V3 getters are
 * read, never run: a body of one i32.const, or one global.get of an immutable constant, and `end`. V2 getters are functions
 * that have to be run, V1 ones globals or functions: those values are unknown until wm_contract_resolve (content.h), except that a
 * body of the static form is read ahead for planning and for `inspect`. Names, types and lists live in the caller's arena or
 * point into the module. */
#ifndef WM_QIP_CONTRACT_H
#define WM_QIP_CONTRACT_H

#include "decoder/module.h"
#include "instrument/sink.h"
#include "qip/message.h"

enum wm_contract_version { WM_CONTRACT_NONE = 0, WM_CONTRACT_V1 = 1, WM_CONTRACT_V2 = 2, WM_CONTRACT_V3 = 3 };

enum wm_encoding { WM_ENCODING_NONE, WM_ENCODING_BYTES, WM_ENCODING_UTF8, WM_ENCODING_I32 /* V1 output: 4-byte items */ };
/* "none", "bytes", "utf8", "i32". */
const char *wm_encoding_name(enum wm_encoding encoding);

/* One metadata getter, or V1's global of that name. */
struct wm_getter {
  bool is_present;
  bool is_known;    /* value is there: static, or resolved */
  bool is_static;   /* the body is of the static form, or it is an immutable global */
  bool is_global;   /* V1 */
  uint32_t index;   /* function or global */
  uint32_t value;
};

struct wm_content_type {
  struct wm_getter pointer, size;
  struct wm_text text; /* empty: none declared, or not known yet */
};

struct wm_contract_uniform {
  struct wm_text key;
  wm_valtype type;   /* of parameter and result; 0 when the setter's signature is not one, which is an error only when it is set */
  uint32_t function;
};

/* An active data segment as it will be copied. */
struct wm_contract_data {
  uint32_t segment, memory;
  uint64_t address, length;
};

struct wm_contract {
  const struct wm_module *module;
  uint8_t version;         /* enum wm_contract_version */
  uint32_t entry;          /* function index of render or run */
  bool is_generator;       /* V3 without input: render(0), first stage only */
  uint8_t input_encoding;  /* enum wm_encoding */
  uint8_t output_encoding;
  struct wm_getter input_ptr, input_cap, output_cap;
  struct wm_getter output_ptr;    /* V1, V2 */
  struct wm_getter failure_modes; /* V3: failure_modes_per_input_offset */
  struct wm_content_type input_type, output_type;
  uint32_t commit;         /* V2: function index, or WM_NO_INDEX */

  uint32_t uniform_count;
  const struct wm_contract_uniform *uniforms; /* sorted bytewise by key */

  /* The timed and interactive lifecycle (lifecycle.h): function indices, or WM_NO_INDEX. */
  uint32_t begin_update_at, finish_update, key_event, pointer_event;
  bool is_interactive;     /* begin_update_at and finish_update with the right types */

  /* The seed's timed copies: function indices, or WM_NO_INDEX. */
  uint32_t layer_times_ptr, layer_times_len;

  bool has_memory;         /* exports memory 0 as `memory` (V3, V2, V1 need it) */
  uint64_t memory_bytes;   /* of memory 0 before anything runs */
  uint32_t data_count;
  const struct wm_contract_data *datas;
  struct wm_arena *arena;  /* where resolving puts content types */
};

/* What a command lets through beyond the contract. */
enum { WM_CONTRACT_ALLOW_START = 1, WM_CONTRACT_ALLOW_IMPORTS = 2 /* functions only */ };

/* Recognises the generation and reads everything static. False: WM_CONTRACT problem naming the export at fault (version tells which
 * generation was being read, NONE when none fits), or WM_NO_SPACE. `module` and `arena` must outlive the contract. */
bool wm_contract_read(struct wm_contract *contract, const struct wm_module *module, uint32_t flags, struct wm_arena *arena,
                      struct wm_problem *problem);

/* For whoever resolves getters of V1 and V2, with memory as it is then: reads a content type whose pointer and size are known (`name`:
 * "input_content_type" or "output_content_type"; memory NULL: as initialisation will leave it), and checks where the input buffer lies. */
bool wm_contract_read_type(struct wm_contract *contract, const char *name, const uint8_t *memory, uint64_t memory_bytes,
                           struct wm_content_type *type, struct wm_problem *problem);
bool wm_contract_check_input_region(const struct wm_contract *contract, uint64_t memory_bytes, struct wm_problem *problem);

/* The uniform of that key, or NULL. */
const struct wm_contract_uniform *wm_contract_find_uniform(const struct wm_contract *contract, struct wm_text key);

#endif
