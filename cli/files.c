/* Whole files in, whole files out; see files.h. POSIX calls only: nothing is buffered behind our back. */
#define _XOPEN_SOURCE 700
#include "cli/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/message.h"

static bool is_dash(const char *path)
{
  return strcmp(path, "-") == 0;
}

/* ---- Reading ---------------------------------------------------------------------------------------------------- */

/* Reads from `fd` until its end or `limit` + 1 bytes. `hint` is the size expected. Returns 0 or an errno value. */
static int read_all(int fd, uint64_t limit, size_t hint, struct wm_file *file)
{
  size_t capacity = hint + 1;
  uint8_t *bytes = wm_allocate(capacity, 1);
  size_t length = 0;
  for (;;) {
    if (length > limit) {
      free(bytes);
      file->is_too_large = true;
      return 0;
    }
    if (length == capacity) {
      capacity = capacity < 65536 ? 65536 : capacity * 2;
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
  bool is_regular = S_ISREG(info.st_mode) && info.st_size > 0;
  if (is_regular && !is_stdin && (uint64_t)info.st_size > limit) {
    file->is_too_large = true;
    file->full_length = (uint64_t)info.st_size;
  } else {
    /* Room for one byte more than the file has: its end is then seen by the second read. */
    size_t hint = is_regular && (uint64_t)info.st_size < SIZE_MAX / 2 ? (size_t)info.st_size : 4095;
    error = read_all(fd, limit, hint, file);
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

static int write_and_close(int fd, const void *bytes, size_t length)
{
  int error = wm_write_all(fd, bytes, length);
  if (close(fd) != 0 && error == 0)
    error = errno;
  return error;
}

/* Devices, pipes and sockets cannot be replaced: they are written in place. So is a file in a folder that takes no new one. */
static int write_in_place(const char *path, const void *bytes, size_t length)
{
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
  if (fd < 0)
    return wm_fail(WM_EXIT_CANNOT_CREATE, path, "cannot create: %s", strerror(errno));
  int error = write_and_close(fd, bytes, length);
  return error == 0 ? WM_EXIT_OK : tell_write_failure(path, error);
}

static int write_and_rename(const char *path, const struct stat *old, const void *bytes, size_t length)
{
  struct wm_buffer name = WM_BUFFER_EMPTY;
  wm_buffer_format(&name, "%s.wasmeter-%d", path, (int)getpid());
  wm_buffer_char(&name, '\0');
  const char *temporary = (const char *)name.bytes;
  int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, old != NULL ? old->st_mode & 0777 : 0666);
  if (fd < 0) {
    int error = errno;
    wm_buffer_free(&name);
    if (old != NULL && (error == EACCES || error == EPERM || error == EROFS || error == ENAMETOOLONG))
      return write_in_place(path, bytes, length);
    return wm_fail(WM_EXIT_CANNOT_CREATE, path, "cannot create: %s", strerror(error));
  }
  int unwished = old != NULL ? fchmod(fd, old->st_mode & 07777) : 0; /* a file system may have no modes */
  (void)unwished;
  int error = write_and_close(fd, bytes, length);
  int status = WM_EXIT_OK;
  if (error != 0)
    status = tell_write_failure(path, error);
  else if (rename(temporary, path) != 0)
    status = wm_fail(WM_EXIT_CANNOT_CREATE, path, "cannot create: %s", strerror(errno));
  if (status != WM_EXIT_OK)
    unlink(temporary);
  wm_buffer_free(&name);
  return status;
}

int wm_output_write(const char *path, const void *bytes, size_t length)
{
  if (path == NULL || is_dash(path)) {
    int error = 0;
    if (length == 0 && fcntl(1, F_GETFD) < 0)
      error = errno; /* nothing to write, but nowhere to write it either */
    if (error == 0)
      error = wm_write_all(1, bytes, length);
    return error == 0 ? WM_EXIT_OK : tell_write_failure("(standard output)", error);
  }
  struct stat old;
  if (stat(path, &old) != 0) {
    if (errno == ENOENT && lstat(path, &old) != 0)
      return write_and_rename(path, NULL, bytes, length);
    return write_in_place(path, bytes, length); /* a dangling link, or whatever open will say */
  }
  if (!S_ISREG(old.st_mode))
    return write_in_place(path, bytes, length);
  char *real = realpath(path, NULL); /* a link stays one: what it points to is replaced */
  if (access(path, W_OK) != 0 || real == NULL) {
    free(real);
    return write_in_place(path, bytes, length);
  }
  int status = write_and_rename(real, &old, bytes, length);
  free(real);
  return status;
}
