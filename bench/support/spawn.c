// Runs commands in interleaved rounds and reports what each run took. The stop-watch of the benchmark driver: a small
// process of its own, because a child's peak memory starts with that of the process it was spawned from, and because
// starting a tiny program costs less from here than from a Python interpreter.
//
// usage: spawn ROUNDS TIMEOUT_SECONDS ::: COMMAND [ARG...] [::: COMMAND [ARG...]]...
//
// Round r starts with command r % count and goes on cyclically. Each run is reported on standard output as one line
//   COMMAND_INDEX STATUS WALL_NS CPU_NS MAXRSS_KIB OUT_BYTES ERR_BYTES
// followed by that many bytes of its standard output and standard error (each cut at KEEP_BYTES). STATUS is the exit
// status, 128 + the signal that ended it, or 127 when it could not be started. Wall time runs from just before the spawn
// to just after the wait; CPU time is user + system of the child and of what it waited for.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_COMMANDS = 64, KEEP_BYTES = 1 << 20 };

extern char **environ;

struct run {
    int status;
    uint64_t wall_ns, cpu_ns, maxrss_kib;
};

static volatile sig_atomic_t running_pid;
static char kept[KEEP_BYTES];

static void die(const char *what) {
    fprintf(stderr, "spawn: %s: %s\n", what, strerror(errno));
    exit(70);
}

static void on_alarm(int signal_number) {
    (void)signal_number;
    if (running_pid > 0) kill((pid_t)running_pid, SIGKILL);
}

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t timeval_ns(struct timeval t) {
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

static void arm(unsigned seconds) {
    struct itimerval timer = {.it_value = {.tv_sec = (time_t)seconds}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

static struct run run_once(char **argv, int out, int err, unsigned timeout) {
    struct run run = {.status = 127};
    struct rusage usage;
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
    uint64_t start = now_ns();
    int failure = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
    if (failure == 0) {
        running_pid = pid;
        arm(timeout);
        while (wait4(pid, &status, 0, &usage) < 0)
            if (errno != EINTR) die("wait4");
        run.wall_ns = now_ns() - start;
        arm(0);
        running_pid = 0;
        run.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        run.cpu_ns = timeval_ns(usage.ru_utime) + timeval_ns(usage.ru_stime);
        run.maxrss_kib = (uint64_t)usage.ru_maxrss;
    }
    posix_spawn_file_actions_destroy(&actions);
    return run;
}

static int scratch_file(void) {
    FILE *file = tmpfile();
    if (!file) die("tmpfile");
    int fd = fcntl(fileno(file), F_DUPFD_CLOEXEC, 3);
    if (fd < 0) die("fcntl");
    fclose(file);
    return fd;
}

static size_t kept_size(int fd) {
    off_t size = lseek(fd, 0, SEEK_END);
    if (size < 0) die("lseek");
    return size > KEEP_BYTES ? KEEP_BYTES : (size_t)size;
}

static void copy_out(int fd, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t got = pread(fd, kept, size - done, (off_t)done);
        if (got <= 0) die("pread");
        if (fwrite(kept, 1, (size_t)got, stdout) != (size_t)got) die("write");
        done += (size_t)got;
    }
}

static void empty(int fd) {
    if (ftruncate(fd, 0) < 0 || lseek(fd, 0, SEEK_SET) < 0) die("ftruncate");
}

static unsigned parse_count(const char *text) {
    char *end;
    unsigned long long value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || value > 1000000) {
        fprintf(stderr, "spawn: not a count: %s\n", text);
        exit(64);
    }
    return (unsigned)value;
}

// Cuts argv at its separators; the commands' argument lists are left in place, each ended by NULL.
static unsigned split(char **argv, char **commands[MAX_COMMANDS]) {
    unsigned count = 0;
    for (; *argv; argv++) {
        if (strcmp(*argv, ":::") != 0) continue;
        *argv = NULL;
        if (count == MAX_COMMANDS || argv[1] == NULL || strcmp(argv[1], ":::") == 0) return 0;
        commands[count++] = argv + 1;
    }
    return count;
}

int main(int argc, char **argv) {
    char **commands[MAX_COMMANDS];
    unsigned count = argc > 4 ? split(argv + 3, commands) : 0;
    if (count == 0) {
        fputs("usage: spawn ROUNDS TIMEOUT_SECONDS ::: COMMAND [ARG...] [::: COMMAND [ARG...]]...\n", stderr);
        return 64;
    }
    unsigned rounds = parse_count(argv[1]), timeout = parse_count(argv[2]);
    int out = scratch_file(), err = scratch_file();
    struct sigaction action = {.sa_handler = on_alarm};
    sigaction(SIGALRM, &action, NULL);
    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned i = 0; i < count; i++) {
            unsigned index = (round + i) % count;
            empty(out);
            empty(err);
            struct run run = run_once(commands[index], out, err, timeout);
            size_t out_size = kept_size(out), err_size = kept_size(err);
            printf("%u %d %llu %llu %llu %zu %zu\n", index, run.status, (unsigned long long)run.wall_ns,
                   (unsigned long long)run.cpu_ns, (unsigned long long)run.maxrss_kib, out_size, err_size);
            copy_out(out, out_size);
            copy_out(err, err_size);
        }
    }
    return fflush(stdout) == 0 ? 0 : 74;
}
