/* One component from bytes to outcome: what run, pages, counts, time and trace share.
 *
 * load (decode and validate) -> read the contract -> open (link, initialise, input) -> run with sinks -> outcome as an exit status
 * and one line. Every function that can fail tells its failure and returns an exit status; `label` stands in front of the
 * message. The session owns its arena, store and everything given to sinks until wm_session_close; the module's bytes,
 * the input and the uniforms are the caller's and must outlive it. */
#ifndef WM_CLI_SESSION_H
#define WM_CLI_SESSION_H

#include "cli/sinks.h"
#include "cli/symbols.h"
#include "qip/content.h"

struct wm_reserved { void *pages; uint64_t bytes; };

struct wm_session;

/* What a command does with a run beyond the first render. */
struct wm_session_guide {
  /* Makes what the module imports, in session->store; NULL after telling why it cannot. */
  const struct wm_extern *(*imports)(struct wm_session *session, void *user);
  /* After an accepted first render; also in the run ahead that learns where the output will lie (is_rehearsal: nothing is
   * told then, for the run proper will come to the same). Tells failures. */
  int (*play)(struct wm_session *session, bool is_rehearsal, void *user);
  void *user;
};

struct wm_session {
  const char *label;         /* the component's path, or `step N PATH` */
  struct wm_limits limits;
  struct wm_arena arena;
  struct wm_types types;
  struct wm_module module;
  struct wm_symbols symbols;
  struct wm_contract contract;
  size_t arena_mark;         /* arena in use before the store */
  struct wm_store *store;
  struct wm_content content;
  bool is_open;              /* content wants closing */
  bool has_run;              /* sinks saw (part of) a run */
  struct wm_view view;
  struct wm_region *regions; /* with the output of a run to come, for sinks that ask for it */
  struct wm_reserved *reserved;
  uint32_t reserved_count;
  uint64_t deadline_ns;      /* of wm_clock_ns, set before a run: looked at every million instructions or so; 0: none */
  bool is_late;              /* the run was ended by it, with WM_EXIT_BUDGET, and nothing has been told */
  const struct wm_session_guide *guide; /* set by a command after loading, or NULL */
};

/* What a run is given. */
struct wm_session_input {
  const uint8_t *bytes;
  uint64_t length;
  bool is_first;             /* of a pipeline: a utf8 input is checked */
  const struct wm_uniform *uniforms;
  uint32_t uniform_count;
  uint64_t budget;
  uint32_t stream;           /* enum wm_stream */
};

int wm_session_load(struct wm_session *session, const char *label, const uint8_t *bytes, size_t length, const struct wm_limits *limits);
/* `symbols_path`: --symbols, or NULL. */
int wm_session_symbols(struct wm_session *session, const char *symbols_path);
/* `flags`: WM_CONTRACT_ALLOW bits. */
int wm_session_contract(struct wm_session *session, uint32_t flags);
/* Bytes of input it takes; UINT64_MAX when that is not known before it runs. */
uint64_t wm_session_capacity(const struct wm_session *session);
/* Runs the getters of a V1 or V2 component ahead of the run, so that a pipeline can be checked; nothing for V3. */
int wm_session_resolve(struct wm_session *session, uint64_t budget);
/* The run in its pieces, for whoever times them: a fresh instance with its input, setters and render, and the end of the instance. */
int wm_session_begin(struct wm_session *session, const struct wm_session_input *input);
int wm_session_finish(struct wm_session *session, uint64_t budget);
void wm_session_end(struct wm_session *session);
/* The whole run; `sinks` may have none. The outcome is wm_content_outcome(&session->content). */
int wm_session_run(struct wm_session *session, const struct wm_session_input *input, struct wm_sinks *sinks);
/* Appends the accepted output; of a V1 component without one, the line `Ran: N`. */
void wm_session_output(const struct wm_session *session, struct wm_buffer *output);
/* Has the sinks write their reports: of a finished run, or of one that stopped. */
void wm_session_report(struct wm_session *session, struct wm_sinks *sinks, bool is_complete);
void wm_session_close(struct wm_session *session);

/* For commands that link and run a module by themselves (--invoke): a new store; sinks opened on an instance of it; their reports. */
int wm_session_open_store(struct wm_session *session);
int wm_session_watch(struct wm_session *session, struct wm_instance *instance, struct wm_run *run, struct wm_sinks *sinks);
void wm_session_report_run(struct wm_session *session, struct wm_sinks *sinks, bool is_complete, uint64_t instructions);

/* Messages. */
/* Of the outcome that stands; WM_EXIT_OK when it is accepted. `budget` is what the run was given. */
int wm_session_tell_outcome(struct wm_session *session, uint64_t budget);
int wm_session_tell_trap(struct wm_session *session, enum wm_trap trap, uint32_t function, uint64_t offset);
int wm_session_tell_error(const struct wm_session *session, const struct wm_error *error);
int wm_session_tell_problem(struct wm_session *session, const struct wm_problem *problem);
/* `, in NAME (wasm-function[N]) at offset 0x…`, as far as there is one. */
void wm_session_where(struct wm_session *session, struct wm_buffer *text, uint32_t function, uint64_t offset);

#endif
