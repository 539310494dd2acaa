/* Decodes every truncation of the modules named on the command line, and many damaged copies, in one process.
 *
 * Each prefix lies in memory of exactly its size, so that a sanitizer sees a read beyond it. A prefix may decode only where the
 * module could end, between two sections; every refusal has words and an offset within the bytes. Prints one line a module; exit 1 on the
 * first fault. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/module.h"

#define ARENA_BYTES ((size_t)96 << 20)

struct bench { /* what one decoding needs, used again and again */
  struct wm_arena arena;
};

static struct wm_error decode(struct bench *bench, const uint8_t *bytes, size_t length)
{
  struct wm_types types;
  struct wm_module module;
  struct wm_error error = WM_ERROR_NONE;
  bench->arena.used = 0;
  if (!wm_types_init(&types, &bench->arena, &wm_limits_native))
    abort();
  bool is_good = wm_module_decode(&module, bytes, length, &wm_limits_native, &types, &bench->arena, &error);
  if (is_good != (error.status == WM_OK))
    abort();
  return error;
}

/* Copies to a block of exactly that size. */
static struct wm_error decode_copy(struct bench *bench, const uint8_t *bytes, size_t length)
{
  uint8_t *copy = malloc(length == 0 ? 1 : length);
  if (copy == NULL)
    abort();
  memcpy(copy, bytes, length);
  /* With length 0 the one byte that malloc gives is not the module's: point behind it. */
  struct wm_error error = decode(bench, length == 0 ? copy + 1 : copy, length);
  free(copy);
  return error;
}

static size_t read_size(const uint8_t *bytes, size_t *at)
{
  size_t value = 0;
  unsigned shift = 0;
  do {
    value |= (size_t)(bytes[*at] & 0x7f) << shift;
    shift += 7;
  } while (bytes[(*at)++] & 0x80);
  return value;
}

/* Marks the places where a module may end: behind the header and behind each section. */
static uint8_t *find_ends(const uint8_t *bytes, size_t length)
{
  uint8_t *is_end = calloc(length + 1, 1);
  if (is_end == NULL)
    abort();
  size_t at = 8;
  is_end[at] = 1;
  while (at < length) {
    at++;
    size_t size = read_size(bytes, &at);
    at += size;
    if (at > length)
      abort();
    is_end[at] = 1;
  }
  return is_end;
}

static int complain(const char *path, size_t length, const char *what, const struct wm_error *error)
{
  printf("%s at %zu of its bytes: %s (status %d, offset %" PRIu64 ", \"%s\")\n", path, length, what, error->status, error->offset, error->message);
  return 1;
}

static int check_error(const char *path, size_t length, const struct wm_error *error)
{
  if (error->message[0] == '\0')
    return complain(path, length, "a refusal without words", error);
  if (error->offset != WM_NO_OFFSET && error->offset > length)
    return complain(path, length, "an offset outside the module", error);
  if (error->status == WM_NO_SPACE)
    return complain(path, length, "the arena is used up", error);
  return 0;
}

static int sweep_prefixes(struct bench *bench, const char *path, const uint8_t *bytes, size_t length)
{
  uint8_t *is_end = find_ends(bytes, length);
  int status = 0;
  for (size_t i = 0; i <= length && status == 0; i++) {
    struct wm_error error = decode_copy(bench, bytes, i);
    if (error.status == WM_OK)
      status = is_end[i] ? 0 : complain(path, i, "a truncated module was taken", &error);
    else
      status = i == length ? complain(path, i, "the whole module was refused", &error) : check_error(path, i, &error);
  }
  free(is_end);
  return status;
}

static uint32_t next_random(uint32_t *state)
{
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static int sweep_damage(struct bench *bench, const char *path, const uint8_t *bytes, size_t length, unsigned rounds)
{
  uint8_t *copy = malloc(length);
  if (copy == NULL)
    abort();
  uint32_t state = (uint32_t)length;
  int status = 0;
  for (unsigned round = 0; round < rounds && status == 0; round++) {
    memcpy(copy, bytes, length);
    unsigned changes = 1 + next_random(&state) % 4;
    for (unsigned i = 0; i < changes; i++)
      copy[next_random(&state) % length] = (uint8_t)next_random(&state);
    struct wm_error error = decode(bench, copy, length);
    if (error.status != WM_OK)
      status = check_error(path, length, &error);
  }
  free(copy);
  return status;
}

static uint8_t *read_file(const char *path, size_t *length)
{
  FILE *file = fopen(path, "rb");
  uint8_t *bytes = malloc(1 << 20);
  if (file == NULL || bytes == NULL) {
    printf("%s: cannot be read\n", path);
    exit(1);
  }
  *length = fread(bytes, 1, 1 << 20, file);
  fclose(file);
  return bytes;
}

int main(int argc, char **argv)
{
  struct bench bench = {{malloc(ARENA_BYTES), 0, ARENA_BYTES}};
  if (bench.arena.base == NULL)
    return 1;
  int status = 0;
  for (int i = 1; i < argc && status == 0; i++) {
    size_t length;
    uint8_t *bytes = read_file(argv[i], &length);
    status = sweep_prefixes(&bench, argv[i], bytes, length);
    if (status == 0)
      status = sweep_damage(&bench, argv[i], bytes, length, 500);
    if (status == 0)
      printf("%s: %zu truncations, 500 damaged copies\n", argv[i], length);
    free(bytes);
  }
  free(bench.arena.base);
  return status != 0 || argc < 2;
}
