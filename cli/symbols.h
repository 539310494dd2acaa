/* What functions are called, and where their loads and stores stand: everything that people and sinks ask about code.
 *
 * Names come from the module's name section, else from a twin (--symbols: an unstripped build of the same code, refused when its
 * code differs), else they are `wasm-function[N]`. All is found at the first question; texts live until wm_symbols_close. */
#ifndef WM_CLI_SYMBOLS_H
#define WM_CLI_SYMBOLS_H

#include "decoder/module.h"
#include "instrument/sink.h"

struct wm_symbols {
  const struct wm_module *module;
  char **spelled;                 /* wasm-function[N], made when asked for */
  struct wm_access_list *accesses; /* by function */
  struct wm_twin *twin;
};

void wm_symbols_open(struct wm_symbols *symbols, const struct wm_module *module);
/* Reads the twin and takes its names. Tells failures: not readable, no module, other code (WM_EXIT_DATA). */
int wm_symbols_take_twin(struct wm_symbols *symbols, const char *path, const struct wm_limits *limits);
/* Never empty. */
struct wm_text wm_symbols_name(struct wm_symbols *symbols, uint32_t function);
/* `wasm-function[N]` into the caller's bytes. */
struct wm_text wm_symbols_spell(uint32_t function, char spelling[32]);
/* "name section", "twin", "none". */
const char *wm_symbols_source(const struct wm_symbols *symbols);
/* Which load or store of its function stands at that byte, in code order; UINT32_MAX when none does. */
uint32_t wm_symbols_access_ordinal(struct wm_symbols *symbols, uint32_t function, uint64_t offset);
void wm_symbols_close(struct wm_symbols *symbols);

#endif
