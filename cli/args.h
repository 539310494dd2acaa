/* Command lines: one option table a command, read by the parser, by --help and by shell completion.
 *
 * Forms: `--name value`, `--name=value`, `-n value`, `-nvalue`; flags without a value; `--` ends options. Options and positional
 * arguments may mix. Everything points into argv; occurrences keep the order of the command line, and each knows how many
 * positional arguments stood before it (a pipeline binds -u and --sink to the component before them). */
#ifndef WM_CLI_ARGS_H
#define WM_CLI_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wm_opt_kind {
  WM_OPT_FLAG,
  WM_OPT_TEXT,
  WM_OPT_COUNT,  /* unsigned 64-bit decimal, 0x hexadecimal; digits may be parted by _ */
  WM_OPT_SIZE,   /* the same with K, M, G, T (also KiB …): powers of 1024 */
  WM_OPT_CHOICE, /* one of `value`'s words, parted by | */
  WM_OPT_REST,   /* takes one value, and all that follows it is kept as arguments of it */
};

/* What an option is for, in all commands. */
enum wm_opt_id {
  WM_OPT_END, /* closes a table */
  WM_OPT_HELP, WM_OPT_VERSION,
  WM_OPT_INPUT, WM_OPT_FORM, WM_OPT_UNIFORM, WM_OPT_OUTPUT, WM_OPT_BUDGET, WM_OPT_MAX_MEMORY, WM_OPT_MAX_FRAMES, WM_OPT_MAX_BULK,
  WM_OPT_SYMBOLS, WM_OPT_FORMAT, WM_OPT_QUIET, WM_OPT_COLOR, WM_OPT_STREAM, WM_OPT_PARTIAL,
  WM_OPT_SINK, WM_OPT_INVOKE, WM_OPT_DIGEST, WM_OPT_MEMORY_DIGEST, WM_OPT_CAPACITIES,
  WM_OPT_OWN, /* a command's own options count up from here */
};

struct wm_opt_def {
  uint8_t id;   /* enum wm_opt_id, or WM_OPT_OWN + n */
  uint8_t kind; /* enum wm_opt_kind */
  char letter;  /* short form, or 0 */
  const char *name;  /* without the dashes */
  const char *value; /* placeholder, or the choices */
  const char *help;  /* may hold line breaks */
};

/* Rows that several commands share. */
#define WM_ROW_HELP {WM_OPT_HELP, WM_OPT_FLAG, 'h', "help", NULL, "print this help"}
#define WM_ROW_VERSION {WM_OPT_VERSION, WM_OPT_FLAG, 0, "version", NULL, "print the version"}
#define WM_ROW_QUIET {WM_OPT_QUIET, WM_OPT_FLAG, 'q', "quiet", NULL, "no notes and no progress; errors stay"}
#define WM_ROW_COLOR \
  {WM_OPT_COLOR, WM_OPT_CHOICE, 0, "color", "auto|always|never", "colour on a terminal; NO_COLOR is obeyed, this option wins"}
#define WM_ROW_OUTPUT {WM_OPT_OUTPUT, WM_OPT_TEXT, 'o', "output", "FILE", "write the result to FILE, whole or not at all"}
#define WM_ROW_FORMAT(choices, what) {WM_OPT_FORMAT, WM_OPT_CHOICE, 0, "format", choices, what}
#define WM_ROWS_COMMON WM_ROW_QUIET, WM_ROW_COLOR, WM_ROW_VERSION, WM_ROW_HELP
/* What every command that runs a component takes. */
#define WM_ROWS_REQUEST \
  {WM_OPT_INPUT, WM_OPT_TEXT, 'i', "input", "FILE", "the component's input (- is standard input)"}, \
  {WM_OPT_FORM, WM_OPT_TEXT, 'F', "form", "NAME=VALUE|@FILE|<FILE", \
    "one part of a multipart request, built as the component's input;\n" \
    "without COMPONENT: component, input and uniforms[KEY] of a request\nto wasmeter itself"}, \
  {WM_OPT_UNIFORM, WM_OPT_TEXT, 'u', "uniform", "KEY=VALUE", "set a uniform of the component"}
#define WM_ROWS_LIMITS \
  {WM_OPT_BUDGET, WM_OPT_COUNT, 0, "budget", "N", "instructions that may run (default 1000000000)"}, \
  {WM_OPT_MAX_MEMORY, WM_OPT_SIZE, 0, "max-memory", "BYTES", "linear memory, all memories together (default 16G; K, M, G are\n1024-fold)"}, \
  {WM_OPT_MAX_FRAMES, WM_OPT_COUNT, 0, "max-frames", "N", "the deepest call nesting (default 100000)"}, \
  {WM_OPT_MAX_BULK, WM_OPT_SIZE, 0, "max-bulk-bytes", "BYTES", "bytes that copy, fill, init and the like may move in one run (default 64G)"}, \
  {WM_OPT_STREAM, WM_OPT_CHOICE, 0, "stream", "auto|step|fast", "the instruction stream to run; reports do not depend on it"}
#define WM_ROW_SINK \
  {WM_OPT_SINK, WM_OPT_TEXT, 0, "sink", "NAME[:key=value,...]", \
    "attach another sink: a built-in one or a shared object (./FILE.so);\nits report goes to out=FILE, else to standard error"}
#define WM_ROW_SYMBOLS \
  {WM_OPT_SYMBOLS, WM_OPT_TEXT, 0, "symbols", "TWIN.wasm", "take function names from an unstripped build of the same code"}
#define WM_ROW_PARTIAL \
  {WM_OPT_PARTIAL, WM_OPT_FLAG, 0, "partial", NULL, "report a run that did not finish up to its stop, with its failing status"}
#define WM_ROW_END {WM_OPT_END, 0, 0, NULL, NULL, NULL}

struct wm_arg { /* one option on the command line */
  const struct wm_opt_def *def;
  const char *text; /* its value; NULL for a flag */
  uint64_t number;  /* COUNT, SIZE, and the ordinal of a CHOICE */
  uint32_t before;  /* positional arguments before it */
};

struct wm_args {
  struct wm_arg *items;
  uint32_t count;
  const char **positional;
  uint32_t positional_count;
  const char **rest; /* after a REST option's value */
  uint32_t rest_count;
};

/* Parses argv[first..]. Tells a usage error and returns WM_EXIT_USAGE. --help or --version anywhere before -- win
 * over errors after them: the caller asks wm_args_has. The arrays want wm_args_free in any case. */
int wm_args_parse(struct wm_args *args, const struct wm_opt_def *defs, const char *command, int argc, char **argv, int first);
void wm_args_free(struct wm_args *args);

/* The last occurrence, or NULL. */
const struct wm_arg *wm_args_find(const struct wm_args *args, int id);
bool wm_args_has(const struct wm_args *args, int id);
const char *wm_args_text(const struct wm_args *args, int id, const char *otherwise);
uint64_t wm_args_number(const struct wm_args *args, int id, uint64_t otherwise);

/* Unsigned numbers as COUNT and SIZE options spell them; false when it is none or does not fit. */
bool wm_parse_count(const char *text, uint64_t *number);
bool wm_parse_size(const char *text, uint64_t *number);

#endif
