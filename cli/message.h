/* Messages on standard error: one line each, `wasmeter: FILE: what, where`.
 *
 * The text is built in a buffer and written by one call, so that lines of several processes do not mix. Text from outside (file
 * names, names in a module, options) is escaped. --quiet silences notes, never errors. */
#ifndef WM_CLI_MESSAGE_H
#define WM_CLI_MESSAGE_H

#include <stdbool.h>

#include "cli/buffer.h"
#include "cli/status.h"
#include "decoder/error.h"

/* `wasmeter: FILE: ` and the formatted text (which is escaped as a whole) and a newline; `file` may be NULL. Returns `status`. */
__attribute__((format(printf, 3, 4)))
int wm_fail(int status, const char *file, const char *format, ...);
/* What is wrong with a line of a text file, as bad data: `wasmeter: FILE:LINE: `. Returns 65. */
__attribute__((format(printf, 3, 4)))
int wm_fail_line(const char *file, uint32_t line, const char *format, ...);
/* An error of the decoder or linker, with its place. Returns the exit status that it means. */
int wm_fail_error(const char *file, const struct wm_error *error);
/* WM_CONTRACT ends with 6, WM_NO_SPACE with 70, all else with 65. */
int wm_status_exit(enum wm_status status);
/* The same for something that does not fail the command; silent after wm_set_quiet(true). */
__attribute__((format(printf, 2, 3)))
void wm_note(const char *file, const char *format, ...);
void wm_set_quiet(bool is_quiet);
bool wm_is_quiet(void);

/* --color: whether to colour what goes to `fd`. */
enum wm_color { WM_COLOR_AUTO, WM_COLOR_ALWAYS, WM_COLOR_NEVER };
void wm_set_color(enum wm_color color, bool is_explicit);
bool wm_wants_color(int fd);

#endif
