/* Prints the disassembly of modules, for the round trip through an outside assembler:
 *
 *   disassemble MODULE.wasm...
 *
 * For each file `module PATH`, for each function with a body `func INDEX`, then its instructions, one a line, the last
 * `end` included. A module that does not decode is a line `error …`. */
#include <stdio.h>
#include <stdlib.h>

#include "decoder/disasm.h"

#define ARENA_BYTES ((size_t)512 << 20)
#define MODULE_BYTES ((size_t)16 << 20)
#define TEXT_BYTES ((size_t)1 << 20)

/* Reads a whole file into `bytes`; false when it cannot be read or is longer than the room. */
static bool read_file(const char *path, uint8_t *bytes, size_t *size)
{
  FILE *file = fopen(path, "rb");
  if (file == NULL)
    return false;
  *size = fread(bytes, 1, MODULE_BYTES, file);
  bool is_whole = *size < MODULE_BYTES && ferror(file) == 0;
  fclose(file);
  return is_whole;
}

/* False when an instruction's text is longer than the room for it. */
static bool print_function(const struct wm_module *module, uint32_t index, struct wm_arena *arena, char *text)
{
  struct wm_walk walk;
  if (!wm_walk_begin(&walk, module, index, arena))
    return false;
  printf("func %u\n", (unsigned)index);
  while (wm_walk_next(&walk)) {
    if (wm_disasm(module, &walk.insn, NULL, text, TEXT_BYTES) >= TEXT_BYTES)
      return false;
    puts(text);
  }
  return walk.is_done;
}

/* The room that all modules share. */
struct room {
  struct wm_arena arena;
  uint8_t *bytes;
  char *text;
};

static bool print_module(const char *path, struct room *room)
{
  size_t size = 0;
  if (!read_file(path, room->bytes, &size))
    return false;
  printf("module %s\n", path);
  struct wm_types types;
  struct wm_module module;
  struct wm_error error = WM_ERROR_NONE;
  struct wm_arena *arena = &room->arena;
  arena->used = 0;
  if (!wm_types_init(&types, arena, &wm_limits_native))
    return false;
  if (!wm_module_decode(&module, room->bytes, size, &wm_limits_native, &types, arena, &error)) {
    printf("error %s\n", error.message);
    return true;
  }
  for (uint32_t i = module.imported_func_count; i < module.func_count; i++) {
    size_t mark = arena->used;
    if (!print_function(&module, i, arena, room->text))
      return false;
    arena->used = mark;
  }
  return true;
}

int main(int argc, char **argv)
{
  struct room room = {{malloc(ARENA_BYTES), 0, ARENA_BYTES}, malloc(MODULE_BYTES), malloc(TEXT_BYTES)};
  bool is_good = room.arena.base != NULL && room.bytes != NULL && room.text != NULL;
  for (int i = 1; is_good && i < argc; i++) {
    is_good = print_module(argv[i], &room);
    if (!is_good)
      fprintf(stderr, "disassemble: %s failed\n", argv[i]);
  }
  free(room.text);
  free(room.bytes);
  free(room.arena.base);
  return is_good && fflush(stdout) == 0 ? 0 : 1;
}
