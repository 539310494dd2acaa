/* The tree of who called whom, with the work done in each place: for flame graphs and speedscope.
 *
 * A node is one path of ids (functions or layers). Its space is taken at open and bounded: a path longer than WM_CALLTREE_DEPTH, or one
 * that finds no room, is counted in the deepest node it has. Sums are exact either way. */
#ifndef WM_INSTRUMENT_CALLTREE_H
#define WM_INSTRUMENT_CALLTREE_H

#include "instrument/text.h"

#define WM_CALLTREE_DEPTH 256
#define WM_CALLTREE_NODES (1u << 18)

struct wm_call_node {
  uint32_t parent, id, first_child, last_child, next, depth;
  uint64_t instructions, ns;
};

struct wm_calltree {
  struct wm_call_node *nodes; /* node 0 is the root, no id */
  uint32_t node_count;
  uint32_t *slots;            /* hash of (parent, id): node, 0 free */
  uint32_t *frame_of;         /* id: 1 + place in speedscope's list of frames */
  uint32_t id_count;
};

/* What the ids are called. */
typedef struct wm_text (*wm_calltree_name)(void *user, uint32_t id);

bool wm_calltree_open(struct wm_calltree *tree, const struct wm_view *view, uint32_t id_count);
/* The node of `id` below `parent`, made when it is new. */
uint32_t wm_calltree_enter(struct wm_calltree *tree, uint32_t parent, uint32_t id);
/* Forgets the work, keeps the paths. */
void wm_calltree_reset(struct wm_calltree *tree);
/* `a;b;c N` lines: the form of flame graph tools. */
void wm_calltree_write_folded(const struct wm_calltree *tree, struct wm_print *print, bool is_ns, wm_calltree_name name, void *user);
/* One JSON file with an exact profile of instructions and, if has_ns, one of time. */
void wm_calltree_write_speedscope(struct wm_calltree *tree, struct wm_print *print, bool has_ns, wm_calltree_name name, void *user);

#endif
