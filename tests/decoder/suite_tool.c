/* The decoder on many files, for suite.test.mjs.
 *
 *   suite-tool verdicts < PATHS   for each file: the verdict (ok, malformed, invalid, other), a tab, offset, a tab, message
 *   suite-tool text < PATHS       for each file: "module", then for each body "body" and its instructions, one a line
 *
 * It stops with status 1 when a decoded body cannot be walked in the memory that was announced. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/disasm.h"

enum { ARENA_BYTES = 1 << 26, TEXT_BYTES = 1 << 20 };

static uint8_t *read_file(const char *path, size_t *size)
{
  FILE *file = fopen(path, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
    perror(path);
    exit(1);
  }
  *size = (size_t)ftell(file);
  rewind(file);
  uint8_t *bytes = malloc(*size > 0 ? *size : 1);
  if (bytes == NULL || fread(bytes, 1, *size, file) != *size) {
    perror(path);
    exit(1);
  }
  fclose(file);
  return bytes;
}

static void print_verdict(const struct wm_error *error)
{
  static const char *const words[] = {[WM_OK] = "ok", [WM_MALFORMED] = "malformed", [WM_INVALID] = "invalid"};
  bool is_known = error->status <= WM_INVALID;
  printf("%s\t%" PRIu64 "\t%s\n", is_known ? words[error->status] : "other", error->offset, error->message);
}

static void print_body(const struct wm_module *module, uint32_t index, char *text)
{
  size_t size = (size_t)wm_walk_scratch(&module->funcs[index]);
  struct wm_arena scratch = {malloc(size), 0, size};
  struct wm_walk walk;
  printf("body\n");
  if (scratch.base == NULL || !wm_walk_begin(&walk, module, index, &scratch))
    exit(1);
  while (wm_walk_next(&walk)) {
    wm_disasm(module, &walk.insn, NULL, text, TEXT_BYTES);
    printf("%s\n", text);
  }
  if (!walk.is_done)
    exit(1);
  free(scratch.base);
}

int main(int count, char **arguments)
{
  bool is_text = count == 2 && strcmp(arguments[1], "text") == 0;
  static char path[4096];
  uint8_t *memory = malloc(ARENA_BYTES);
  char *text = malloc(TEXT_BYTES);
  if (count != 2 || memory == NULL || text == NULL)
    return 1;
  while (fgets(path, sizeof path, stdin) != NULL) {
    size_t size;
    path[strcspn(path, "\n")] = '\0';
    uint8_t *bytes = read_file(path, &size);
    struct wm_arena arena = {memory, 0, ARENA_BYTES};
    struct wm_types types;
    struct wm_module module;
    struct wm_error error = WM_ERROR_NONE;
    if (!wm_types_init(&types, &arena, &wm_limits_native))
      return 1;
    bool is_good = wm_module_decode(&module, bytes, size, &wm_limits_native, &types, &arena, &error);
    if (!is_text)
      print_verdict(&error);
    else
      printf("module\n");
    for (uint32_t i = module.imported_func_count; is_text && is_good && i < module.func_count; i++)
      print_body(&module, i, text);
    free(bytes);
  }
  free(text);
  free(memory);
  return 0;
}
