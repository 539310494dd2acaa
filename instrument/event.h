/* What the interpreter tells its sinks: the leaf header between interp/ and instrument/. It includes nothing of ours.
 *
 * Events are written into a batch in program order and handed to one tap. An access event is told once the access can no
 * longer trap; an access that traps is told by WM_EVENT_TRAP. A bulk operation of length zero tells nothing. */
#ifndef WM_INSTRUMENT_EVENT_H
#define WM_INSTRUMENT_EVENT_H

#include <stdint.h>

enum wm_event_kind {
  WM_EVENT_LOAD,    /* address, length */
  WM_EVENT_STORE,   /* address, length */
  WM_EVENT_COPY,    /* memory.copy: destination memory, address; source_memory, source; length > 0 */
  WM_EVENT_FILL,    /* memory.fill: address, length > 0 */
  WM_EVENT_INIT,    /* memory.init: a fill-like write of the segment's bytes; detail = segment index */
  WM_EVENT_GROW,    /* memory.grow: address = pages before (also when it failed), length = pages asked for, detail = 1 if it grew */
  WM_EVENT_CALL,    /* detail = callee's function index (imports too); flags: INDIRECT, TAIL, IMPORT. The host's own call of a function is
                     * told too, with OUTERMOST and no site: it is no instruction and does not count as a call */
  WM_EVENT_RETURN,  /* a function exit, the outermost too; function = the one left; flags: UNWIND when an exception left it, TAIL */
  WM_EVENT_BRANCH,  /* taken branch: br, br_if, br_table, br_on_*, return, a catch; flags: BACK for a loop's back-edge */
  WM_EVENT_SET_GLOBAL0, /* address = new value (zero-extended) of mutable i32/i64 global 0 */
  WM_EVENT_TRAP,    /* the run ends: detail = enum wm_trap; for memory accesses address and length, flags: STORE if it would write */
  WM_EVENT_KINDS
};
#define WM_WANT(kind) (1u << (kind))
#define WM_WANT_ACCESSES (WM_WANT(WM_EVENT_LOAD) | WM_WANT(WM_EVENT_STORE) | WM_WANT(WM_EVENT_COPY) | WM_WANT(WM_EVENT_FILL) | WM_WANT(WM_EVENT_INIT))

/* Flags of one event. */
enum {
  WM_FLAG_INDIRECT = 1, /* call_indirect, call_ref and their tail forms */
  WM_FLAG_TAIL = 2,     /* return_call*: the call event; the matching RETURN of the caller carries it too and comes first */
  WM_FLAG_IMPORT = 4,   /* callee is a host function: no return event follows */
  WM_FLAG_UNWIND = 8,
  WM_FLAG_BACK = 16,
  WM_FLAG_STORE = 32,
  WM_FLAG_OUTERMOST = 64, /* CALL and RETURN of the function the host called (after tail calls: RETURN of the last one) */
};

/* What a tap needs beyond kind, memory, address, length, source and flags. It pays for what it asks. */
enum {
  WM_NEED_SITE = 1,        /* function, offset of accesses, branches, grows (calls, returns and traps always carry them) */
  WM_NEED_INSTRUCTION = 2, /* instruction, of calls, returns and traps: how many have run, this one included */
  WM_NEED_VALUE = 4,       /* stored value */
  WM_NEED_CLOCK = 8,       /* time_ns, read at calls, returns and traps only */
  WM_NEED_IMMEDIATE = 16,  /* each access event twice, alone: phase BEFORE the effect, then AFTER it; other events once, with phase NONE */
  WM_NEED_EVERY_INSTRUCTION = 32, /* instruction of every event: dearer, the step stream alone knows it */
};

enum { WM_PHASE_NONE = 0, WM_PHASE_BEFORE = 1, WM_PHASE_AFTER = 2 };

struct wm_event { /* 64 bytes; members not asked for hold anything */
  uint8_t kind;
  uint8_t phase;
  uint16_t flags;
  uint16_t memory;        /* index in the instance */
  uint16_t source_memory; /* COPY */
  uint64_t address;       /* bytes in linear memory */
  uint64_t length;        /* bytes */
  union {
    uint64_t source;      /* COPY: bytes */
    uint64_t value[2];    /* STORE with WM_NEED_VALUE: the bytes stored, little-endian, zero-extended; FILL: the byte */
    uint64_t detail;      /* CALL, INIT, GROW, TRAP */
  };
  uint32_t function;      /* site: function index */
  uint32_t offset;        /* site: byte of the instruction in the module file */
  uint64_t instruction;
  uint64_t time_ns;
};

/* Batches hold at most this many events. */
#define WM_BATCH_EVENTS 256

/* The page sink's per-access step (pages_step.h); the interpreter may be built without the loop that knows it. */
struct wm_pages_step;

struct wm_tap {
  uint32_t wants; /* WM_WANT bits */
  uint32_t needs; /* WM_NEED bits */
  void (*deliver)(void *user, const struct wm_event *batch, uint32_t count); /* must not re-enter or change the guest */
  uint64_t (*clock_ns)(void *user); /* WM_NEED_CLOCK: monotonic nanoseconds; else may be NULL */
  void *user;
  /* Not NULL: a loop that has the step inlined may count loads, stores and writes to global 0 in it, and then does not deliver them;
   * a loop that has not delivers every event. The report is the same. */
  struct wm_pages_step *pages;
};

#endif
