/* The commands about breakpoints and watchpoints, and what all commands share. Rows of the table in step_command.c. */
#ifndef WM_CLI_STEP_COMMAND_POINTS_H
#define WM_CLI_STEP_COMMAND_POINTS_H

#include "cli/step_command.h"
#include "cli/step_expr.h"

/* Why a command does nothing, unless something said so before. Always false. */
bool wm_command_refuse(struct wm_debugger *d, const char *what);
/* An optional count: an expression, `otherwise` when there is none. */
bool wm_command_count(struct wm_debugger *d, const char *text, uint64_t otherwise, uint64_t *count);
/* A range of bytes: `ADDRESS[, LENGTH]`, a memory expression such as u32[A], `output`; or a global, which the term tells. */
bool wm_command_range(struct wm_debugger *d, const char *text, struct wm_term *term, uint64_t *address, uint64_t *length, uint32_t *memory);
/* The caller frees it. */
char *wm_command_copy(const char *text);

bool wm_command_break(struct wm_debugger *d, const char *text);
bool wm_command_tbreak(struct wm_debugger *d, const char *text);
bool wm_command_watch(struct wm_debugger *d, const char *text);
bool wm_command_rwatch(struct wm_debugger *d, const char *text);
bool wm_command_awatch(struct wm_debugger *d, const char *text);
bool wm_command_delete(struct wm_debugger *d, const char *text);
bool wm_command_enable(struct wm_debugger *d, const char *text);
bool wm_command_disable(struct wm_debugger *d, const char *text);
bool wm_command_condition(struct wm_debugger *d, const char *text);
bool wm_command_ignore(struct wm_debugger *d, const char *text);

#endif
