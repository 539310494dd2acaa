/* The tree of who called whom (calltree.h). */
#include "instrument/calltree.h"

#define SLOTS (2 * WM_CALLTREE_NODES)

bool wm_calltree_open(struct wm_calltree *tree, const struct wm_view *view, uint32_t id_count)
{
  tree->nodes = view->reserve(view, WM_CALLTREE_NODES * sizeof *tree->nodes);
  tree->slots = view->reserve(view, SLOTS * sizeof *tree->slots);
  tree->frame_of = view->reserve(view, ((uint64_t)id_count + 1) * sizeof *tree->frame_of);
  tree->id_count = id_count;
  tree->node_count = 1;
  return tree->nodes != NULL && tree->slots != NULL && tree->frame_of != NULL;
}

uint32_t wm_calltree_enter(struct wm_calltree *tree, uint32_t parent, uint32_t id)
{
  if (tree->nodes[parent].depth == WM_CALLTREE_DEPTH)
    return parent;
  uint64_t key = ((uint64_t)parent << 32 | id) * UINT64_C(0x9e3779b97f4a7c15);
  uint32_t slot = (uint32_t)(key >> 40) % SLOTS;
  for (; tree->slots[slot] != 0; slot = (slot + 1) % SLOTS) {
    const struct wm_call_node *node = &tree->nodes[tree->slots[slot]];
    if (node->parent == parent && node->id == id)
      return tree->slots[slot];
  }
  if (tree->node_count == WM_CALLTREE_NODES)
    return parent;
  uint32_t made = tree->node_count++;
  struct wm_call_node *above = &tree->nodes[parent];
  tree->nodes[made] = (struct wm_call_node){.parent = parent, .id = id, .depth = above->depth + 1};
  if (above->first_child == 0)
    above->first_child = made;
  else
    tree->nodes[above->last_child].next = made;
  above->last_child = made;
  tree->slots[slot] = made;
  return made;
}

void wm_calltree_reset(struct wm_calltree *tree)
{
  for (uint32_t i = 0; i < tree->node_count; i++)
    tree->nodes[i].instructions = tree->nodes[i].ns = 0;
}

/* The next node in depth-first order, 0 after the last. */
static uint32_t next_node(const struct wm_calltree *tree, uint32_t node)
{
  if (tree->nodes[node].first_child != 0)
    return tree->nodes[node].first_child;
  while (node != 0 && tree->nodes[node].next == 0)
    node = tree->nodes[node].parent;
  return node == 0 ? 0 : tree->nodes[node].next;
}

/* Ids from the outermost to the node; returns how many. */
static uint32_t find_path(const struct wm_calltree *tree, uint32_t node, uint32_t path[WM_CALLTREE_DEPTH])
{
  uint32_t depth = tree->nodes[node].depth;
  for (uint32_t i = depth; i-- > 0; node = tree->nodes[node].parent)
    path[i] = tree->nodes[node].id;
  return depth;
}

/* A name on a line whose parts are joined by semicolons. */
static void print_part(struct wm_print *print, struct wm_text name)
{
  uint32_t begin = 0;
  for (uint32_t i = 0; i <= name.length; i++) {
    if (i < name.length && name.bytes[i] != ';')
      continue;
    wm_print_visible(print, (struct wm_text){name.bytes + begin, i - begin});
    if (i < name.length)
      wm_print_char(print, ':');
    begin = i + 1;
  }
}

void wm_calltree_write_folded(const struct wm_calltree *tree, struct wm_print *print, bool is_ns, wm_calltree_name name, void *user)
{
  uint32_t path[WM_CALLTREE_DEPTH];
  for (uint32_t node = next_node(tree, 0); node != 0; node = next_node(tree, node)) {
    uint64_t weight = is_ns ? tree->nodes[node].ns : tree->nodes[node].instructions;
    if (weight == 0)
      continue;
    uint32_t depth = find_path(tree, node, path);
    for (uint32_t i = 0; i < depth; i++) {
      wm_print_string(print, i > 0 ? ";" : "");
      print_part(print, name(user, path[i]));
    }
    wm_print_char(print, ' ');
    wm_print_u64(print, weight);
    wm_print_char(print, '\n');
  }
}

static void write_frames(struct wm_calltree *tree, struct wm_print *print, wm_calltree_name name, void *user)
{
  uint32_t count = 0;
  for (uint32_t node = 1; node < tree->node_count; node++) {
    uint32_t id = tree->nodes[node].id;
    if (tree->frame_of[id] != 0)
      continue;
    wm_print_string(print, count > 0 ? ",\n{\"name\":" : "\n{\"name\":");
    wm_print_json(print, name(user, id));
    wm_print_char(print, '}');
    tree->frame_of[id] = ++count;
  }
}

static void write_profile(const struct wm_calltree *tree, struct wm_print *print, bool is_ns)
{
  uint32_t path[WM_CALLTREE_DEPTH];
  uint64_t total = 0;
  wm_print_string(print, is_ns ? "{\"type\":\"sampled\",\"name\":\"interpreter time\",\"unit\":\"nanoseconds\",\"startValue\":0,\"samples\":["
                               : "{\"type\":\"sampled\",\"name\":\"instructions\",\"unit\":\"none\",\"startValue\":0,\"samples\":[");
  for (unsigned pass = 0; pass < 2; pass++) { /* paths, then their weights */
    const char *separator = "\n";
    for (uint32_t node = next_node(tree, 0); node != 0; node = next_node(tree, node)) {
      uint64_t weight = is_ns ? tree->nodes[node].ns : tree->nodes[node].instructions;
      if (weight == 0)
        continue;
      wm_print_string(print, separator);
      separator = ",\n";
      if (pass == 1) {
        wm_print_u64(print, weight);
        total += weight;
        continue;
      }
      uint32_t depth = find_path(tree, node, path);
      for (uint32_t i = 0; i < depth; i++) {
        wm_print_char(print, i > 0 ? ',' : '[');
        wm_print_u64(print, tree->frame_of[path[i]] - 1);
      }
      wm_print_char(print, ']');
    }
    wm_print_string(print, pass == 0 ? "],\"weights\":[" : "],\"endValue\":");
  }
  wm_print_u64(print, total);
  wm_print_char(print, '}');
}

void wm_calltree_write_speedscope(struct wm_calltree *tree, struct wm_print *print, bool has_ns, wm_calltree_name name, void *user)
{
  wm_print_string(print, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"wasmeter\",\"shared\":{\"frames\":[");
  write_frames(tree, print, name, user);
  wm_print_string(print, "]},\"profiles\":[\n");
  write_profile(tree, print, false);
  if (has_ns) {
    wm_print_string(print, ",\n");
    write_profile(tree, print, true);
  }
  wm_print_string(print, "]}\n");
}
