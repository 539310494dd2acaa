/* Runs `gzip -9` between two pipes and counts what comes out; see gzip.h. A second process feeds it, so that neither pipe can fill up
 * while nobody reads. No shell is involved. */
#define _POSIX_C_SOURCE 200809L
#include "cli/gzip.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/files.h"

static void become_gzip(const int in[2], const int out[2])
{
  int null = open("/dev/null", O_WRONLY);
  if (dup2(in[0], 0) < 0 || dup2(out[1], 1) < 0 || (null >= 0 && dup2(null, 2) < 0))
    _exit(127);
  close(in[0]);
  close(in[1]);
  close(out[0]);
  close(out[1]);
  execlp("gzip", "gzip", "-9", "-n", "-c", (char *)NULL);
  _exit(127);
}

static void become_feeder(const int in[2], const int out[2], const uint8_t *bytes, size_t length)
{
  close(in[0]);
  close(out[0]);
  close(out[1]);
  _exit(wm_write_all(in[1], bytes, length) == 0 ? 0 : 1);
}

static uint64_t count_bytes(int fd)
{
  uint8_t buffer[16384];
  uint64_t count = 0;
  for (;;) {
    ssize_t n = read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return count;
    count += (uint64_t)n;
  }
}

static bool ended_well(pid_t process)
{
  int status;
  return process > 0 && waitpid(process, &status, 0) == process && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool wm_gzip_size(const uint8_t *bytes, size_t length, uint64_t *size)
{
  int in[2], out[2];
  if (pipe(in) != 0)
    return false;
  if (pipe(out) != 0) {
    close(in[0]);
    close(in[1]);
    return false;
  }
  pid_t gzip = fork();
  if (gzip == 0)
    become_gzip(in, out);
  pid_t feeder = gzip > 0 ? fork() : -1;
  if (feeder == 0)
    become_feeder(in, out, bytes, length);
  close(in[0]);
  close(in[1]);
  close(out[1]);
  *size = count_bytes(out[0]);
  close(out[0]);
  bool is_fed = ended_well(feeder);
  return ended_well(gzip) && is_fed;
}
