/* wasmeter spec: runs converted test scripts of the official suite and says for each file, and in total, what passed.
 *
 * Finds the scripts (files, or every *.json below a folder, in the order of their names), runs each in a world of its own
 * (spec-tests/script.h) and prints text or JSON. A ledger lists failures that are expected; an entry that does not fail is a failure. */
#define _DEFAULT_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/message.h"
#include "spec-tests/script.h"

enum { OPT_JSON = WM_OPT_OWN, OPT_LEDGER, OPT_SLICE, OPT_STRESS };

static const struct wm_opt_def options[] = {
  {OPT_JSON, WM_OPT_FLAG, 0, "json", NULL, "one JSON object a failure and a file, the total last"},
  {OPT_LEDGER, WM_OPT_TEXT, 0, "ledger", "FILE", "expected failures, one PATH-END:LINE a line; # begins a comment"},
  {OPT_SLICE, WM_OPT_COUNT, 0, "slice", "N", "stop and resume every action after each N instructions"},
  {OPT_STRESS, WM_OPT_FLAG, 0, "gc-stress", NULL, "collect garbage at every allocation"},
  {WM_OPT_BUDGET, WM_OPT_COUNT, 0, "budget", "N", "instructions of one action (default 10000000000)"},
  {WM_OPT_STREAM, WM_OPT_CHOICE, 0, "stream", "auto|step|fast", "the instruction stream to run; results do not depend on it"},
  {WM_OPT_MAX_FRAMES, WM_OPT_COUNT, 0, "max-frames", "N", "the deepest call nesting (default 100000)"},
  WM_ROW_OUTPUT,
  WM_ROWS_COMMON,
  WM_ROW_END,
};

/* ---- The ledger ---- */

struct entry { const char *path; uint64_t line; bool is_hit; };

struct ledger {
  struct wm_file file;
  struct entry *entries;
  size_t count;
};

static int read_ledger(struct ledger *ledger, const char *path)
{
  if (!path)
    return WM_EXIT_OK;
  int status = wm_file_read(path, UINT64_C(1) << 24, &ledger->file);
  if (status != WM_EXIT_OK)
    return status;
  if (ledger->file.is_too_large)
    return wm_fail(WM_EXIT_DATA, path, "too large for a ledger: more than 16 MiB");
  ledger->file.bytes = wm_reallocate(ledger->file.bytes, ledger->file.length + 1, 1);
  ledger->file.bytes[ledger->file.length] = 0;
  char *next = (char *)ledger->file.bytes;
  for (uint32_t number = 1; *next; number++) {
    char *row = next;
    next += strcspn(next, "\n");
    if (*next)
      *next++ = 0;
    row[strcspn(row, "#\r")] = 0;
    size_t length = strlen(row);
    while (length && strchr(" \t", row[length - 1]))
      row[--length] = 0;
    if (!length)
      continue;
    char *colon = strrchr(row, ':');
    uint64_t line;
    if (!colon || !wm_parse_count(colon + 1, &line))
      return wm_fail_line(path, number, "a ledger row is PATH-END:LINE, not: %s", row);
    *colon = 0;
    ledger->entries = wm_reallocate(ledger->entries, ledger->count + 1, sizeof *ledger->entries);
    ledger->entries[ledger->count++] = (struct entry){row, line, false};
  }
  return WM_EXIT_OK;
}

static struct entry *find_entry(struct ledger *ledger, const char *path, uint64_t line)
{
  size_t n = strlen(path);
  for (size_t i = 0; i < ledger->count; i++) {
    size_t m = strlen(ledger->entries[i].path);
    if (ledger->entries[i].line == line && m <= n && strcmp(path + n - m, ledger->entries[i].path) == 0)
      return &ledger->entries[i];
  }
  return NULL;
}

/* ---- Finding scripts ---- */

struct paths { char **items; size_t count; };

static void add_path(struct paths *paths, const char *folder, const char *name)
{
  struct wm_buffer path = WM_BUFFER_EMPTY;
  if (folder)
    wm_buffer_format(&path, "%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/");
  wm_buffer_text(&path, name);
  wm_buffer_char(&path, 0);
  paths->items = wm_reallocate(paths->items, paths->count + 1, sizeof *paths->items);
  paths->items[paths->count++] = (char *)path.bytes;
}

static int by_name(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void free_paths(struct paths *paths)
{
  for (size_t i = 0; i < paths->count; i++)
    free(paths->items[i]);
  free(paths->items);
}

static bool has_ending(const char *name, const char *ending)
{
  size_t n = strlen(name), m = strlen(ending);
  return n > m && strcmp(name + n - m, ending) == 0;
}

#define FOLDERS_DEEP 32

/* Every script below `folder`; symbolic links to folders are followed, FOLDERS_DEEP levels at most. */
static int find_scripts(struct paths *scripts, const char *folder, unsigned depth)
{
  DIR *directory = opendir(folder);
  if (!directory)
    return wm_fail(WM_EXIT_NO_INPUT, folder, "cannot open: %s", strerror(errno));
  struct paths all = {NULL, 0};
  for (struct dirent *item; (item = readdir(directory)) != NULL;)
    if (item->d_name[0] != '.')
      add_path(&all, folder, item->d_name);
  closedir(directory);
  if (all.count)
    qsort(all.items, all.count, sizeof *all.items, by_name);
  int status = WM_EXIT_OK;
  for (size_t i = 0; i < all.count && status == WM_EXIT_OK; i++) {
    struct stat info;
    if (stat(all.items[i], &info) != 0)
      status = wm_fail(WM_EXIT_NO_INPUT, all.items[i], "cannot open: %s", strerror(errno));
    else if (S_ISDIR(info.st_mode))
      status = depth < FOLDERS_DEEP ? find_scripts(scripts, all.items[i], depth + 1)
                                    : wm_fail(WM_EXIT_DATA, all.items[i], "folders nest too deeply");
    else if (has_ending(all.items[i], ".json"))
      add_path(scripts, NULL, all.items[i]);
  }
  free_paths(&all);
  return status;
}

/* ---- Reporting ---- */

struct report {
  struct wm_buffer out;
  struct ledger ledger;
  const char *path;
  uint64_t expected; /* failures of the file under way that the ledger lists */
  bool is_json;
};

static void tell_failure(void *user, uint64_t line, const char *text, size_t length)
{
  struct report *r = user;
  struct entry *entry = find_entry(&r->ledger, r->path, line);
  if (entry)
    entry->is_hit = true;
  r->expected += entry != NULL;
  const char *state = entry ? "expected failure" : "failed";
  if (r->is_json) {
    wm_buffer_text(&r->out, "{\"file\":");
    wm_buffer_json(&r->out, r->path, strlen(r->path));
    wm_buffer_format(&r->out, ",\"line\":%llu,\"state\":\"%s\",\"what\":", (unsigned long long)line, state);
    wm_buffer_json(&r->out, text, length);
    wm_buffer_text(&r->out, "}\n");
  } else {
    wm_buffer_format(&r->out, "%s:%llu: %s: ", r->path, (unsigned long long)line, state);
    wm_buffer_add(&r->out, text, length);
    wm_buffer_char(&r->out, '\n');
  }
}

static void tell_counts(struct report *r, const char *path, const struct wm_spec_counts *c)
{
  unsigned long long passed = c->passed, failed = c->failed, skipped = c->skipped, malformed = c->malformed, invalid = c->invalid;
  if (r->is_json) {
    wm_buffer_text(&r->out, "{\"file\":");
    if (path)
      wm_buffer_json(&r->out, path, strlen(path));
    else
      wm_buffer_text(&r->out, "null");
    wm_buffer_format(&r->out, ",\"passed\":%llu,\"failed\":%llu,\"skipped\":%llu,\"malformed\":%llu,\"invalid\":%llu}\n", passed, failed,
                     skipped, malformed, invalid);
    return;
  }
  if (path)
    wm_buffer_format(&r->out, "%s: ", path);
  else
    wm_buffer_format(&r->out, "refused as malformed: %llu, as invalid: %llu\n", malformed, invalid);
  wm_buffer_format(&r->out, "%llu passed, %llu failed, %llu skipped\n", passed, failed, skipped);
}

/* Ledger rows that nothing failed at: each is a failure of its own. */
static uint64_t tell_unexpected_passes(struct report *r)
{
  uint64_t count = 0;
  for (size_t i = 0; i < r->ledger.count; i++) {
    if (r->ledger.entries[i].is_hit)
      continue;
    r->path = r->ledger.entries[i].path;
    count++;
    const char *text = "the ledger expects a failure here";
    if (r->is_json)
      wm_buffer_format(&r->out, "{\"file\":null,\"line\":%llu,\"state\":\"unexpected pass\",\"what\":\"%s\"}\n",
                       (unsigned long long)r->ledger.entries[i].line, text);
    else
      wm_buffer_format(&r->out, "%s:%llu: unexpected pass: %s\n", r->path, (unsigned long long)r->ledger.entries[i].line, text);
  }
  return count;
}

static int run_scripts(struct report *r, const struct paths *scripts, const struct wm_spec_options *run, struct wm_spec_counts *total)
{
  for (size_t i = 0; i < scripts->count; i++) {
    struct wm_spec_counts counts = {0};
    struct wm_buffer why = WM_BUFFER_EMPTY;
    r->path = scripts->items[i];
    r->expected = 0;
    bool is_run = wm_spec_run_script(r->path, run, &counts, tell_failure, r, &why);
    if (!is_run) {
      int status = wm_fail(WM_EXIT_DATA, r->path, "%.*s", (int)why.length, (const char *)why.bytes);
      wm_buffer_free(&why);
      return status;
    }
    wm_buffer_free(&why);
    counts.failed -= r->expected;
    counts.skipped += r->expected;
    tell_counts(r, r->path, &counts);
    total->passed += counts.passed;
    total->failed += counts.failed;
    total->skipped += counts.skipped;
    total->malformed += counts.malformed;
    total->invalid += counts.invalid;
  }
  return WM_EXIT_OK;
}

static int collect_scripts(struct paths *scripts, const struct wm_args *args)
{
  int status = WM_EXIT_OK;
  for (uint32_t i = 0; i < args->positional_count && status == WM_EXIT_OK; i++) {
    struct stat info;
    const char *path = args->positional[i];
    if (stat(path, &info) != 0)
      status = wm_fail(WM_EXIT_NO_INPUT, path, "cannot open: %s", strerror(errno));
    else if (S_ISDIR(info.st_mode))
      status = find_scripts(scripts, path, 0);
    else
      add_path(scripts, NULL, path);
  }
  if (status == WM_EXIT_OK && scripts->count == 0)
    status = args->positional_count > 0 ? wm_fail(WM_EXIT_NO_INPUT, args->positional[0], "no test script (*.json) is there")
                                        : wm_fail(WM_EXIT_USAGE, NULL, "no PATH is given");
  return status;
}

static int run(const struct wm_args *args)
{
  struct wm_limits limits = wm_limits_native;
  if (wm_args_has(args, WM_OPT_MAX_FRAMES))
    limits.frames = wm_args_number(args, WM_OPT_MAX_FRAMES, limits.frames);
  struct wm_spec_options run = {
    .stream = (enum wm_stream)wm_args_number(args, WM_OPT_STREAM, WM_STREAM_AUTO),
    .slice = wm_args_number(args, OPT_SLICE, 0),
    .budget = wm_args_number(args, WM_OPT_BUDGET, UINT64_C(10000000000)),
    .gc_stress = wm_args_has(args, OPT_STRESS),
    .limits = &limits,
  };
  struct report r = {.is_json = wm_args_has(args, OPT_JSON)};
  struct paths scripts = {NULL, 0};
  struct wm_spec_counts total = {0};
  int status = collect_scripts(&scripts, args);
  if (status == WM_EXIT_OK)
    status = read_ledger(&r.ledger, wm_args_text(args, OPT_LEDGER, NULL));
  if (status == WM_EXIT_OK)
    status = run_scripts(&r, &scripts, &run, &total);
  if (status == WM_EXIT_OK) {
    total.failed += tell_unexpected_passes(&r);
    tell_counts(&r, NULL, &total);
    status = wm_output_write(wm_args_text(args, WM_OPT_OUTPUT, NULL), r.out.bytes, r.out.length);
    if (status == WM_EXIT_OK && total.failed)
      status = WM_EXIT_DIFFERS;
  }
  free_paths(&scripts);
  free(r.ledger.entries);
  wm_file_free(&r.ledger.file);
  wm_buffer_free(&r.out);
  return status;
}

const struct wm_command wm_command_spec = {
  .name = "spec",
  .summary = "runs converted test scripts of the official suite",
  .usage = "[options] PATH...",
  .details = "PATH is a script (JSON of wast2json or json-from-wast) or a folder of them. The last line is\n"
             "`N passed, M failed, K skipped`: assertions; a module or bare action that fails counts as failed.\n"
             "Skipped are assertions about the text format, and failures that the ledger expects.\n"
             "The status is 3 when anything failed.\n",
  .options = options,
  .run = run,
};
