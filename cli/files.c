/* Whole files in, whole files out; see files.h. POSIX calls only: nothing is buffered behind our back. */
#define _DEFAULT_SOURCE /* madvise */
#define _XOPEN_SOURCE 700
#include "cli/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/message.h"

static bool is_dash(const char *path)
{
  return strcmp(path, "-") == 0;
}

/* ---- Reading ---------------------------------------------------------------------------------------------------- */

/* Room for a file. In a large one, whole pages of 2 MiB where the host has such take half of the time of as many small ones. */
static uint8_t *allocate(size_t bytes)
{
#ifdef MADV_HUGEPAGE
  const size_t huge = (size_t)2 << 20;
  void *room;
  if (bytes >= huge && posix_memalign(&room, huge, bytes) == 0) {
    int unheeded = madvise(room, bytes / huge * huge, MADV_HUGEPAGE); /* as advice may be */
    (void)unheeded;
    return room;
  }
#endif
  return wm_allocate(bytes, 1);
}

/* Reads from `fd` until its end or `limit` + 1 bytes, which is also the most room it takes. `hint` is the size expected. Returns 0
 * or an errno value. */
static int read_all(int fd, uint64_t limit, size_t hint, struct wm_file *file)
{
  size_t most = limit < SIZE_MAX / 2 ? (size_t)limit + 1 : SIZE_MAX / 2;
  size_t capacity = hint < most ? hint + 1 : most;
  uint8_t *bytes = allocate(capacity);
  size_t length = 0;
  for (;;) {
    if (length > limit) {
      free(bytes);
      file->is_too_large = true;
      return 0;
    }
    if (length == capacity) {
      capacity = capacity < 65536 ? 65536 : capacity * 2;
      capacity = capacity < most ? capacity : most;
      bytes = wm_reallocate(bytes, capacity, 1);
    }
    ssize_t n = read(fd, bytes + length, capacity - length);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0) {
      int error = errno;
      free(bytes);
      return error;
    }
    if (n == 0)
      break;
    length += (size_t)n;
  }
  file->bytes = bytes;
  file->length = length;
  return 0;
}

/* The bytes that a regular file still has before it (standard input may stand anywhere in one); 0: not known. */
static uint64_t count_expected(int fd, const struct stat *info)
{
  off_t at = S_ISREG(info->st_mode) ? lseek(fd, 0, SEEK_CUR) : -1;
  return at >= 0 && info->st_size > at ? (uint64_t)(info->st_size - at) : 0;
}

int wm_file_read(const char *path, uint64_t limit, struct wm_file *file)
{
  static bool stdin_is_used;
  *file = (struct wm_file){0};
  bool is_stdin = is_dash(path);
  const char *shown = is_stdin ? "(standard input)" : path;
  int fd = 0;
  if (is_stdin) {
    if (stdin_is_used)
      return wm_fail(WM_EXIT_USAGE, NULL, "standard input can be read only once");
    stdin_is_used = true;
  } else {
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
      return wm_fail(WM_EXIT_NO_INPUT, shown, "cannot open: %s", strerror(errno));
  }
  struct stat info;
  int error = fstat(fd, &info) != 0 ? errno : 0;
  if (error == 0 && S_ISDIR(info.st_mode))
    error = EISDIR;
  if (error != 0) {
    if (!is_stdin)
      close(fd);
    return wm_fail(WM_EXIT_NO_INPUT, shown, "cannot open: %s", strerror(error));
  }
  uint64_t expected = count_expected(fd, &info);
  if (expected > limit) {
    file->is_too_large = true;
    file->full_length = expected;
  } else {
    /* Room for one byte more than the file has: its end is then seen by the second read. */
    error = read_all(fd, limit, expected > 0 ? (size_t)expected : 4095, file);
  }
  if (!is_stdin)
    close(fd);
  if (error != 0)
    return wm_fail(WM_EXIT_IO, shown, "cannot read: %s", strerror(error));
  return WM_EXIT_OK;
}

void wm_file_free(struct wm_file *file)
{
  free(file->bytes);
  *file = (struct wm_file){0};
}

/* ---- Writing ---------------------------------------------------------------------------------------------------- */

int wm_write_all(int fd, const void *bytes, size_t length)
{
  const uint8_t *next = bytes;
  while (length > 0) {
    size_t part = length < SSIZE_MAX ? length : SSIZE_MAX;
    ssize_t n = write(fd, next, part);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return errno;
    next += n;
    length -= (size_t)n;
  }
  return 0;
}

static int tell_write_failure(const char *shown, int error)
{
  if (error != EPIPE)
    wm_fail(WM_EXIT_IO, shown, "cannot write: %s", strerror(error));
  return WM_EXIT_IO;
}

/* Devices, pipes and sockets cannot be replaced: they are written in place. So is a file in a folder that takes no new one. */
static int open_in_place(struct wm_output *output, const char *path)
{
  output->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
  if (output->fd < 0)
    return wm_fail(WM_EXIT_CANNOT_CREATE, path, "cannot create: %s", strerror(errno));
  output->is_owned = true;
  return WM_EXIT_OK;
}

/* `old`: the file that will be replaced, or NULL. Takes over `target`. */
static int open_beside(struct wm_output *output, const char *path, char *target, const struct stat *old)
{
  struct wm_buffer name = WM_BUFFER_EMPTY;
  wm_buffer_format(&name, "%s.wasmeter-%d%c", target, (int)getpid(), '\0');
  output->fd = open((const char *)name.bytes, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, old != NULL ? old->st_mode & 0777 : 0666);
  if (output->fd < 0) {
    int error = errno;
    wm_buffer_free(&name);
    free(target);
    if (old != NULL && (error == EACCES || error == EPERM || error == EROFS || error == ENAMETOOLONG))
      return open_in_place(output, path);
    return wm_fail(WM_EXIT_CANNOT_CREATE, path, "cannot create: %s", strerror(error));
  }
  int unwished = old != NULL ? fchmod(output->fd, old->st_mode & 07777) : 0; /* a file system may have no modes */
  (void)unwished;
  output->is_owned = true;
  output->temporary = (char *)name.bytes;
  output->target = target;
  return WM_EXIT_OK;
}

static char *copy_path(const char *path)
{
  size_t bytes = strlen(path) + 1;
  return memcpy(wm_allocate(bytes, 1), path, bytes);
}

int wm_output_open(struct wm_output *output, const char *path)
{
  *output = (struct wm_output){.shown = path, .fd = 1};
  if (path == NULL || is_dash(path)) {
    output->shown = "(standard output)";
    return WM_EXIT_OK;
  }
  struct stat old;
  if (stat(path, &old) != 0) {
    if (errno == ENOENT && lstat(path, &old) != 0)
      return open_beside(output, path, copy_path(path), NULL);
    return open_in_place(output, path); /* a dangling link, or whatever open will say */
  }
  char *real = S_ISREG(old.st_mode) && access(path, W_OK) == 0 ? realpath(path, NULL) : NULL;
  if (real == NULL)
    return open_in_place(output, path);
  return open_beside(output, path, real, &old); /* a link stays one: what it points to is replaced */
}

int wm_output_append(struct wm_output *output, const void *bytes, size_t length)
{
  int error = wm_write_all(output->fd, bytes, length);
  return error == 0 ? WM_EXIT_OK : tell_write_failure(output->shown, error);
}

int wm_output_close(struct wm_output *output, bool keep)
{
  int status = WM_EXIT_OK;
  if (!output->is_owned && keep && fcntl(output->fd, F_GETFD) < 0)
    status = tell_write_failure(output->shown, errno); /* nothing may have been written, but there is nowhere to write it either */
  if (output->is_owned && close(output->fd) != 0 && keep)
    status = tell_write_failure(output->shown, errno);
  if (output->temporary != NULL) {
    if (keep && status == WM_EXIT_OK && rename(output->temporary, output->target) != 0)
      status = wm_fail(WM_EXIT_CANNOT_CREATE, output->shown, "cannot create: %s", strerror(errno));
    if (!keep || status != WM_EXIT_OK)
      unlink(output->temporary);
  }
  free(output->temporary);
  free(output->target);
  *output = (struct wm_output){0};
  return status;
}

int wm_output_write(const char *path, const void *bytes, size_t length)
{
  struct wm_output output;
  int status = wm_output_open(&output, path);
  if (status != WM_EXIT_OK)
    return status;
  status = wm_output_append(&output, bytes, length);
  int closed = wm_output_close(&output, status == WM_EXIT_OK);
  return status != WM_EXIT_OK ? status : closed;
}
