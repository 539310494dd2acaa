/* Runs a command and prints its peak resident memory in KiB as the last word on standard error. A small program in between
 * matters: a process that becomes another by exec keeps the peak of the one it was. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
  if (argc < 2)
    return 64;
  pid_t child = fork();
  if (child == 0) {
    execv(argv[1], argv + 1);
    _exit(127);
  }
  int status;
  struct rusage usage;
  if (child < 0 || wait4(child, &status, 0, &usage) != child)
    return 70;
  fprintf(stderr, "%lld\n", (long long)usage.ru_maxrss);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 70;
}
