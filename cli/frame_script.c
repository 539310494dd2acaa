/* Reading scripts of frames, a line at a time; see frame_script.h. A line is words parted by blanks. */
#include "cli/frame_script.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/args.h"
#include "cli/message.h"
#include "instrument/text.h"
#include "qip/lifecycle.h"

#define SCRIPT_BYTES (1u << 20)
#define WORDS 16
#define WORD_BYTES 64 /* of a number or name */

struct line {
  const struct wm_frame_script *script;
  uint32_t number;
  struct wm_text words[WORDS];
  uint32_t count;
};

static int bad(const struct line *line, const char *what)
{
  return wm_fail_line(line->script->path, line->number, "%s", what);
}

static int bad_word(const struct line *line, uint32_t word, const char *wanted)
{
  return wm_fail_line(line->script->path, line->number, "want %s, not \"%.*s\"", wanted, (int)line->words[word].length, line->words[word].bytes);
}

/* ---- Words ------------------------------------------------------------------------------------------------------ */

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r';
}

/* False: more words than any line has. */
static bool split(struct line *line, const char *at, const char *end)
{
  line->count = 0;
  while (at < end) {
    while (at < end && is_blank(*at))
      at++;
    const char *begin = at;
    while (at < end && !is_blank(*at))
      at++;
    if (begin == at)
      break;
    if (line->count == WORDS)
      return false;
    line->words[line->count++] = (struct wm_text){begin, (uint32_t)(at - begin)};
  }
  return true;
}

/* A number as options spell it. */
static bool read_count(struct wm_text word, uint64_t *number)
{
  char text[WORD_BYTES];
  if (word.length >= sizeof text)
    return false;
  memcpy(text, word.bytes, word.length);
  text[word.length] = '\0';
  return wm_parse_count(text, number);
}

static bool read_u32(struct wm_text word, uint32_t *number)
{
  uint64_t wide;
  if (!read_count(word, &wide) || wide > UINT32_MAX)
    return false;
  *number = (uint32_t)wide;
  return true;
}

static bool read_signed(struct wm_text word, int64_t lowest, int64_t highest, int64_t *number)
{
  bool is_negative = word.length > 0 && word.bytes[0] == '-';
  uint64_t size;
  if (!read_count((struct wm_text){word.bytes + is_negative, word.length - is_negative}, &size))
    return false;
  if (size > (is_negative ? (uint64_t)0 - (uint64_t)lowest : (uint64_t)highest))
    return false;
  *number = is_negative ? (int64_t)(0 - size) : (int64_t)size;
  return true;
}

static bool read_i32(struct wm_text word, int32_t *number)
{
  int64_t wide;
  if (!read_signed(word, INT32_MIN, INT32_MAX, &wide))
    return false;
  *number = (int32_t)wide;
  return true;
}

/* A printable character stands for itself; else a name, F1 to F35, or a number. */
static bool read_keysym(struct wm_text word, uint32_t *keysym)
{
  static const struct { const char *name; uint32_t keysym; } names[] = {
    {"Left", WM_KEY_LEFT}, {"Up", WM_KEY_UP}, {"Right", WM_KEY_RIGHT}, {"Down", WM_KEY_DOWN}, {"Escape", WM_KEY_ESCAPE},
    {"Enter", WM_KEY_ENTER}, {"Tab", WM_KEY_TAB}, {"Backspace", WM_KEY_BACKSPACE}, {"Space", ' '},
  };
  if (word.length == 1 && word.bytes[0] > ' ' && word.bytes[0] <= '~') {
    *keysym = (uint8_t)word.bytes[0];
    return true;
  }
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (wm_text_is(word, names[i].name)) {
      *keysym = names[i].keysym;
      return true;
    }
  }
  uint32_t number;
  if (word.bytes[0] == 'F' && read_u32((struct wm_text){word.bytes + 1, word.length - 1}, &number) && number >= 1 && number <= 35) {
    *keysym = WM_KEY_F1 + number - 1;
    return true;
  }
  return read_u32(word, keysym);
}

/* A number, or names joined by +. */
static bool read_flags(struct wm_text word, uint32_t *flags)
{
  static const char *const names[] = {"down", "repeat", "shift", "ctrl", "alt", "meta"}; /* bit by bit */
  if (read_u32(word, flags))
    return true;
  *flags = 0;
  for (uint32_t begin = 0; begin <= word.length;) {
    uint32_t end = begin, bit = 0;
    while (end < word.length && word.bytes[end] != '+')
      end++;
    struct wm_text name = {word.bytes + begin, end - begin};
    while (bit < sizeof names / sizeof *names && !wm_text_is(name, names[bit]))
      bit++;
    if (bit < sizeof names / sizeof *names)
      *flags |= UINT32_C(1) << bit;
    else if (!wm_text_is(name, "up"))
      return false;
    begin = end + 1;
  }
  return true;
}

/* ---- Lines ------------------------------------------------------------------------------------------------------ */

static int read_uniform(const struct line *line, struct wm_frame_step *step)
{
  struct wm_problem problem;
  wm_problem_clear(&problem);
  if (!wm_uniform_split(line->words[1], &step->uniform, &problem))
    return bad(line, problem.text);
  return WM_EXIT_OK;
}

static int read_key(const struct line *line, struct wm_frame_step *step)
{
  step->flags = WM_KEY_FLAG_DOWN;
  if (!read_keysym(line->words[1], &step->keysym))
    return bad_word(line, 1, "a character, a key's name or a keysym's number");
  if (line->count == 3 && !read_flags(line->words[2], &step->flags))
    return bad_word(line, 2, "flags: up, down, repeat, shift, ctrl, alt, meta joined by +, or a number");
  return WM_EXIT_OK;
}

static int read_pointer(const struct line *line, struct wm_frame_step *step)
{
  if (!read_u32(line->words[1], &step->buttons))
    return bad_word(line, 1, "a button mask");
  if (!read_i32(line->words[2], &step->x))
    return bad_word(line, 2, "a 32-bit number");
  if (!read_i32(line->words[3], &step->y))
    return bad_word(line, 3, "a 32-bit number");
  return WM_EXIT_OK;
}

static int read_step(const struct line *line, struct wm_frame_step *step)
{
  static const struct { const char *name; uint8_t kind, fewest, most; const char *usage; } steps[] = {
    {"uniform", WM_STEP_UNIFORM, 2, 2, "uniform KEY=VALUE"}, {"at", WM_STEP_AT, 2, 2, "at MS"},
    {"key", WM_STEP_KEY, 2, 3, "key KEYSYM [FLAGS]"}, {"pointer", WM_STEP_POINTER, 4, 4, "pointer MASK X Y"},
    {"finish", WM_STEP_FINISH, 1, 1, "finish"}, {"render", WM_STEP_RENDER, 1, 1, "render"},
    {"warmup", WM_STEP_WARMUP, 2, 2, "warmup N"}, {"frames", WM_STEP_FRAMES, 2, 2, "frames N"},
  };
  uint32_t which = 0;
  while (which < sizeof steps / sizeof *steps && !wm_text_is(line->words[0], steps[which].name))
    which++;
  if (which == sizeof steps / sizeof *steps)
    return bad_word(line, 0, "uniform, at, key, pointer, finish, render, warmup or frames");
  if (line->count < steps[which].fewest || line->count > steps[which].most)
    return wm_fail_line(line->script->path, line->number, "want %s", steps[which].usage);
  *step = (struct wm_frame_step){.kind = steps[which].kind, .line = line->number};
  switch (step->kind) {
  case WM_STEP_UNIFORM:
    return read_uniform(line, step);
  case WM_STEP_AT:
    return read_signed(line->words[1], INT64_MIN, INT64_MAX, &step->time_ms) ? WM_EXIT_OK : bad_word(line, 1, "milliseconds");
  case WM_STEP_KEY:
    return read_key(line, step);
  case WM_STEP_POINTER:
    return read_pointer(line, step);
  case WM_STEP_WARMUP:
  case WM_STEP_FRAMES:
    return read_count(line->words[1], &step->count) && step->count > 0 ? WM_EXIT_OK : bad_word(line, 1, "a number of frames");
  default:
    return WM_EXIT_OK;
  }
}

static void append(struct wm_frame_script *script, const struct wm_frame_step *step)
{
  script->steps = wm_reallocate(script->steps, (size_t)script->count + 1, sizeof *script->steps);
  script->steps[script->count++] = *step;
}

int wm_frame_script_read(struct wm_frame_script *script, const char *path)
{
  script->path = path;
  int status = wm_file_read(path, SCRIPT_BYTES, &script->file);
  if (status != WM_EXIT_OK)
    return status;
  if (script->file.is_too_large)
    return wm_fail(WM_EXIT_DATA, path, "too large for a script of frames: more than %u bytes", SCRIPT_BYTES);
  struct line line = {.script = script};
  const char *at = (const char *)script->file.bytes, *end = at + script->file.length;
  while (at < end) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    const char *stop = newline == NULL ? end : newline;
    line.number++;
    bool is_short = split(&line, at, stop);
    at = newline == NULL ? end : newline + 1;
    if (line.count == 0 || line.words[0].bytes[0] == '#')
      continue;
    if (!is_short)
      return bad(&line, "too many words");
    struct wm_frame_step step;
    status = read_step(&line, &step);
    if (status != WM_EXIT_OK)
      return status;
    append(script, &step);
  }
  if (script->count == 0)
    return wm_fail(WM_EXIT_DATA, path, "the script has no step");
  return WM_EXIT_OK;
}

void wm_frame_script_add(struct wm_frame_script *script, enum wm_frame_step_kind kind, uint64_t count)
{
  if (count > 0)
    append(script, &(struct wm_frame_step){.kind = (uint8_t)kind, .count = count});
}

void wm_frame_script_free(struct wm_frame_script *script)
{
  free(script->steps);
  wm_file_free(&script->file);
  *script = (struct wm_frame_script){0};
}
