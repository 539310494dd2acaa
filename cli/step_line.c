/* The line editor; see step_line.h. Keys: arrows, Home, End, Delete, Backspace, Tab, Ctrl-A B C D E F H K L N P U W.
 *
 * The line is shown on one row: a longer one scrolls sideways, by code points. */
#define _DEFAULT_SOURCE /* cfmakeraw */
#include "cli/step_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "cli/files.h"

enum key { KEY_END_OF_INPUT = -1, KEY_UP = 0x100, KEY_DOWN, KEY_LEFT, KEY_RIGHT, KEY_HOME, KEY_END, KEY_DELETE, KEY_NONE };
#define CONTROL(letter) ((letter) & 0x1f)

void wm_line_open(struct wm_line_reader *reader, bool is_terminal)
{
  memset(reader, 0, sizeof *reader);
  const char *terminal = getenv("TERM");
  struct termios now;
  reader->is_editing = is_terminal && terminal != NULL && strcmp(terminal, "dumb") != 0 && tcgetattr(0, &now) == 0;
}

void wm_line_close(struct wm_line_reader *reader)
{
  for (unsigned i = 0; i < reader->history_count; i++)
    free(reader->history[i]);
  wm_buffer_free(&reader->line);
}

/* ---- Bytes ------------------------------------------------------------------------------------------------------ */

static int read_byte(struct wm_line_reader *reader)
{
  while (reader->byte_next == reader->byte_count) {
    ssize_t count = read(0, reader->bytes, sizeof reader->bytes);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return KEY_END_OF_INPUT;
    reader->byte_count = (size_t)count;
    reader->byte_next = 0;
  }
  return (unsigned char)reader->bytes[reader->byte_next++];
}

static const char *finish_line(struct wm_line_reader *reader)
{
  wm_buffer_char(&reader->line, '\0');
  return (const char *)reader->line.bytes;
}

static const char *read_plain(struct wm_line_reader *reader)
{
  if (reader->prompt != NULL)
    wm_write_all(1, reader->prompt, strlen(reader->prompt));
  int byte;
  while ((byte = read_byte(reader)) != KEY_END_OF_INPUT && byte != '\n')
    if (byte != '\0')
      wm_buffer_char(&reader->line, (char)byte);
  if (byte == KEY_END_OF_INPUT && reader->line.length == 0)
    return NULL;
  return finish_line(reader);
}

/* Escape sequences of the keys that are known; others are swallowed. */
static int read_escape(struct wm_line_reader *reader)
{
  int byte = read_byte(reader);
  if (byte != '[' && byte != 'O')
    return byte == KEY_END_OF_INPUT ? KEY_END_OF_INPUT : KEY_NONE;
  int number = 0;
  while ((byte = read_byte(reader)) != KEY_END_OF_INPUT && ((byte >= '0' && byte <= '9') || byte == ';'))
    number = byte == ';' ? 0 : number < 100 ? number * 10 + byte - '0' : number;
  switch (byte) {
  case 'A': return KEY_UP;
  case 'B': return KEY_DOWN;
  case 'C': return KEY_RIGHT;
  case 'D': return KEY_LEFT;
  case 'H': return KEY_HOME;
  case 'F': return KEY_END;
  case '~': return number == 3 ? KEY_DELETE : number == 1 || number == 7 ? KEY_HOME : number == 4 || number == 8 ? KEY_END : KEY_NONE;
  default: return byte == KEY_END_OF_INPUT ? KEY_END_OF_INPUT : KEY_NONE;
  }
}

static int read_key(struct wm_line_reader *reader)
{
  int byte = read_byte(reader);
  return byte == 27 ? read_escape(reader) : byte;
}

/* ---- Editing ---------------------------------------------------------------------------------------------------- */

struct editor {
  struct wm_line_reader *reader;
  struct wm_buffer *line;
  size_t at;        /* cursor, bytes */
  unsigned recalled; /* history line shown; history_count: none */
  char *kept;       /* what was typed before recalling */
};

static bool is_continuation(uint8_t byte)
{
  return (byte & 0xc0) == 0x80;
}

static size_t columns(const uint8_t *bytes, size_t length)
{
  size_t count = 0;
  for (size_t i = 0; i < length; i++)
    count += !is_continuation(bytes[i]);
  return count;
}

static size_t before(const struct editor *e, size_t at)
{
  if (at > 0)
    at--;
  while (at > 0 && is_continuation(e->line->bytes[at]))
    at--;
  return at;
}

static size_t after(const struct editor *e, size_t at)
{
  if (at < e->line->length)
    at++;
  while (at < e->line->length && is_continuation(e->line->bytes[at]))
    at++;
  return at;
}

static size_t terminal_width(void)
{
  struct winsize size;
  return ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

static void show(const struct editor *e)
{
  struct wm_buffer out = WM_BUFFER_EMPTY;
  const char *prompt = e->reader->prompt;
  size_t room = terminal_width() - columns((const uint8_t *)prompt, strlen(prompt)) - 1, first = 0, end = e->line->length;
  while (columns(e->line->bytes + first, e->at - first) > room)
    first = after(e, first);
  while (columns(e->line->bytes + first, end - first) > room)
    end = before(e, end);
  wm_buffer_format(&out, "\r%s", prompt);
  wm_buffer_add(&out, e->line->bytes + first, end - first);
  wm_buffer_text(&out, "\033[K");
  size_t back = columns(e->line->bytes + e->at, end - e->at);
  if (back > 0)
    wm_buffer_format(&out, "\033[%zuD", back);
  wm_write_all(1, out.bytes, out.length);
  wm_buffer_free(&out);
}

static void erase(struct editor *e, size_t from, size_t to)
{
  memmove(e->line->bytes + from, e->line->bytes + to, e->line->length - to);
  e->line->length -= to - from;
  e->at = from;
}

static void insert(struct editor *e, const char *bytes, size_t length)
{
  wm_buffer_reserve(e->line, length);
  memmove(e->line->bytes + e->at + length, e->line->bytes + e->at, e->line->length - e->at);
  memcpy(e->line->bytes + e->at, bytes, length);
  e->line->length += length;
  e->at += length;
}

static char *copy_bytes(const void *bytes, size_t length)
{
  char *copy = wm_allocate(length + 1, 1);
  if (length > 0)
    memcpy(copy, bytes, length);
  copy[length] = '\0';
  return copy;
}

static void recall(struct editor *e, int direction)
{
  unsigned count = e->reader->history_count;
  if ((direction < 0 && e->recalled == 0) || (direction > 0 && e->recalled == count))
    return;
  if (e->recalled == count) {
    free(e->kept);
    e->kept = copy_bytes(e->line->bytes, e->line->length);
  }
  e->recalled += direction < 0 ? (unsigned)-1 : 1;
  const char *text = e->recalled == count ? e->kept : e->reader->history[e->recalled];
  e->line->length = e->at = 0;
  insert(e, text, strlen(text));
}

/* What all candidates have in common is typed; if that is nothing new, they are listed. */
static void complete(struct editor *e)
{
  struct wm_line_reader *reader = e->reader;
  struct wm_buffer common = WM_BUFFER_EMPTY, list = WM_BUFFER_EMPTY;
  size_t start = e->at;
  unsigned count = 0;
  while (start > 0 && e->line->bytes[start - 1] != ' ')
    start--;
  wm_buffer_char(e->line, '\0');
  e->line->length--;
  const char *word;
  for (; count < 500 && reader->complete != NULL && (word = reader->complete(reader->user, (const char *)e->line->bytes, e->at, count)) != NULL; count++) {
    size_t same = 0;
    if (count == 0)
      wm_buffer_text(&common, word);
    while (same < common.length && word[same] == (char)common.bytes[same])
      same++;
    common.length = same;
    wm_buffer_format(&list, "%s  ", word);
  }
  if (count > 0 && common.length > e->at - start) {
    insert(e, (const char *)common.bytes + (e->at - start), common.length - (e->at - start));
    if (count == 1)
      insert(e, " ", 1);
  } else if (count > 1) {
    wm_write_all(1, "\r\n", 2);
    wm_write_all(1, list.bytes, list.length);
    wm_write_all(1, "\r\n", 2);
  } else if (count == 1) {
    insert(e, " ", 1);
  }
  wm_buffer_free(&common);
  wm_buffer_free(&list);
}

static void erase_word(struct editor *e)
{
  size_t from = e->at, to = e->at;
  while (from > 0 && e->line->bytes[from - 1] == ' ')
    from--;
  while (from > 0 && e->line->bytes[from - 1] != ' ')
    from--;
  erase(e, from, to);
}

/* True: the line is done. */
static bool take_key(struct editor *e, int key, bool *is_end)
{
  switch (key) {
  case '\r': case '\n': return true;
  case KEY_END_OF_INPUT: *is_end = e->line->length == 0; return true;
  case CONTROL('D'):
    if (e->line->length == 0)
      return *is_end = true;
    erase(e, e->at, after(e, e->at));
    break;
  case CONTROL('C'): e->line->length = e->at = 0; wm_write_all(1, "^C\r\n", 4); break;
  case CONTROL('H'): case 127: erase(e, before(e, e->at), e->at); break;
  case KEY_DELETE: { size_t at = e->at; erase(e, at, after(e, at)); break; }
  case CONTROL('A'): case KEY_HOME: e->at = 0; break;
  case CONTROL('E'): case KEY_END: e->at = e->line->length; break;
  case CONTROL('B'): case KEY_LEFT: e->at = before(e, e->at); break;
  case CONTROL('F'): case KEY_RIGHT: e->at = after(e, e->at); break;
  case CONTROL('P'): case KEY_UP: recall(e, -1); break;
  case CONTROL('N'): case KEY_DOWN: recall(e, 1); break;
  case CONTROL('K'): e->line->length = e->at; break;
  case CONTROL('U'): erase(e, 0, e->at); break;
  case CONTROL('W'): erase_word(e); break;
  case CONTROL('L'): wm_write_all(1, "\033[H\033[2J", 7); break;
  case '\t': complete(e); break;
  default:
    if (key >= ' ' && key < 0x100)
      insert(e, &(char){(char)key}, 1);
    break;
  }
  return false;
}

static void remember(struct wm_line_reader *reader)
{
  const char *line = (const char *)reader->line.bytes;
  if (line[0] == '\0' || (reader->history_count > 0 && strcmp(reader->history[reader->history_count - 1], line) == 0))
    return;
  if (reader->history_count == WM_LINE_HISTORY) {
    free(reader->history[0]);
    memmove(reader->history, reader->history + 1, sizeof *reader->history * --reader->history_count);
  }
  reader->history[reader->history_count++] = copy_bytes(line, strlen(line));
}

static const char *read_edited(struct wm_line_reader *reader)
{
  struct termios before_line, raw;
  tcgetattr(0, &before_line);
  raw = before_line;
  cfmakeraw(&raw);
  tcsetattr(0, TCSADRAIN, &raw);
  struct editor e = {reader, &reader->line, 0, reader->history_count, NULL};
  bool is_end = false;
  do
    show(&e);
  while (!take_key(&e, read_key(reader), &is_end));
  wm_write_all(1, "\r\n", 2);
  tcsetattr(0, TCSADRAIN, &before_line);
  free(e.kept);
  if (is_end)
    return NULL;
  finish_line(reader);
  remember(reader);
  return (const char *)reader->line.bytes;
}

const char *wm_line_read(struct wm_line_reader *reader)
{
  reader->line.length = 0;
  return reader->is_editing ? read_edited(reader) : read_plain(reader);
}
