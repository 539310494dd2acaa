/* Parsing of command lines; see args.h. Every fault is one line and WM_EXIT_USAGE; the first one ends the parse. */
#include "cli/args.h"

#include <stdlib.h>
#include <string.h>

#include "cli/message.h"

/* ---- Numbers ---------------------------------------------------------------------------------------------------- */

static int digit_value(char c)
{
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return 99;
}

/* Reads digits up to the first other character; NULL when there are none or the value does not fit. */
static const char *read_number(const char *text, uint64_t *number)
{
  unsigned base = 10;
  if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    base = 16;
    text += 2;
  }
  uint64_t value = 0;
  bool after_digit = false;
  for (;; text++) {
    if (*text == '_' && after_digit && (unsigned)digit_value(text[1]) < base)
      continue;
    unsigned digit = (unsigned)digit_value(*text);
    if (digit >= base)
      break;
    if (value > (UINT64_MAX - digit) / base)
      return NULL;
    value = value * base + digit;
    after_digit = true;
  }
  *number = value;
  return after_digit ? text : NULL;
}

bool wm_parse_count(const char *text, uint64_t *number)
{
  const char *end = read_number(text, number);
  return end != NULL && *end == '\0';
}

bool wm_parse_size(const char *text, uint64_t *number)
{
  const char *end = read_number(text, number);
  if (end == NULL)
    return false;
  static const char letters[] = "KMGT";
  unsigned shift = 0;
  if (*end != '\0') {
    char upper = *end >= 'a' && *end <= 'z' ? (char)(*end - 'a' + 'A') : *end;
    const char *found = strchr(letters, upper);
    if (found != NULL && upper != '\0') {
      shift = 10 * (unsigned)(found - letters + 1);
      end++;
      if (strcmp(end, "iB") == 0 || strcmp(end, "i") == 0 || strcmp(end, "B") == 0)
        end += strlen(end);
    } else if (strcmp(end, "B") == 0) {
      end++;
    }
  }
  if (*end != '\0' || *number > UINT64_MAX >> shift)
    return false;
  *number <<= shift;
  return true;
}

/* The ordinal of `text` among the words of `choices` ("a|b|c"), or -1. */
static int find_choice(const char *choices, const char *text)
{
  size_t length = strlen(text);
  for (int ordinal = 0;; ordinal++) {
    size_t word = strcspn(choices, "|");
    if (word == length && memcmp(choices, text, length) == 0)
      return ordinal;
    if (choices[word] == '\0')
      return -1;
    choices += word + 1;
  }
}

/* ---- Parsing ---------------------------------------------------------------------------------------------------- */

struct parser {
  struct wm_args *args;
  const struct wm_opt_def *defs;
  const char *command;
  int argc, next;
  char **argv;
};

static int usage(const struct parser *p, const char *what, const char *which)
{
  return wm_fail(WM_EXIT_USAGE, NULL, "%s: %s (see wasmeter %s --help)", which, what, p->command);
}

static int set_value(const struct parser *p, struct wm_arg *arg, const char *shown, const char *text)
{
  arg->text = text;
  switch (arg->def->kind) {
  case WM_OPT_COUNT:
    if (!wm_parse_count(text, &arg->number))
      return wm_fail(WM_EXIT_USAGE, NULL, "%s: not an unsigned 64-bit number: %s", shown, text);
    break;
  case WM_OPT_SIZE:
    if (!wm_parse_size(text, &arg->number))
      return wm_fail(WM_EXIT_USAGE, NULL, "%s: not a size: %s", shown, text);
    break;
  case WM_OPT_CHOICE: {
    int ordinal = find_choice(arg->def->value, text);
    if (ordinal < 0)
      return wm_fail(WM_EXIT_USAGE, NULL, "%s: %s is none of %s", shown, text, arg->def->value);
    arg->number = (uint64_t)ordinal;
    break;
  }
  case WM_OPT_REST:
    p->args->rest = (const char **)(p->argv + p->next);
    p->args->rest_count = (uint32_t)(p->argc - p->next);
    break;
  default:
    break;
  }
  return WM_EXIT_OK;
}

/* `attached` is the value in the same word, or NULL. */
static int take_option(struct parser *p, const struct wm_opt_def *def, const char *shown, const char *attached)
{
  struct wm_arg *arg = &p->args->items[p->args->count++];
  *arg = (struct wm_arg){def, NULL, 0, p->args->positional_count};
  if (def->kind == WM_OPT_FLAG)
    return attached == NULL ? WM_EXIT_OK : usage(p, "takes no value", shown);
  if (attached == NULL) {
    if (p->next >= p->argc)
      return usage(p, "needs a value", shown);
    attached = p->argv[p->next++];
  }
  int status = set_value(p, arg, shown, attached);
  if (def->kind == WM_OPT_REST)
    p->next = p->argc;
  return status;
}

static int take_long(struct parser *p, const char *word)
{
  const char *name = word + 2;
  size_t length = strcspn(name, "=");
  char shown[64];
  if (length < sizeof shown - 3) {
    memcpy(shown, word, length + 2);
    shown[length + 2] = '\0';
    for (const struct wm_opt_def *def = p->defs; def->id != WM_OPT_END; def++)
      if (strlen(def->name) == length && memcmp(def->name, name, length) == 0)
        return take_option(p, def, shown, name[length] == '=' ? name + length + 1 : NULL);
  }
  return usage(p, "unknown option", word);
}

/* One word of short options: flags may stand together, a value may follow its letter directly. */
static int take_short(struct parser *p, const char *word)
{
  for (const char *letter = word + 1; *letter != '\0'; letter++) {
    const struct wm_opt_def *def = p->defs;
    while (def->id != WM_OPT_END && def->letter != *letter)
      def++;
    if (def->id == WM_OPT_END)
      return usage(p, "unknown option", word);
    char shown[] = {'-', *letter, '\0'};
    bool is_flag = def->kind == WM_OPT_FLAG;
    if (is_flag && letter > word + 1 && letter[1] == '=')
      return usage(p, "takes no value", shown);
    int status = take_option(p, def, shown, is_flag || letter[1] == '\0' ? NULL : letter + 1);
    if (status != WM_EXIT_OK || !is_flag)
      return status;
  }
  return WM_EXIT_OK;
}

int wm_args_parse(struct wm_args *args, const struct wm_opt_def *defs, const char *command, int argc, char **argv, int first)
{
  size_t letters = 0; /* at most one option a letter of a short word, else one a word */
  for (int i = first; i < argc; i++)
    letters += argv[i][0] == '-' && argv[i][1] != '-' ? strlen(argv[i]) : 1;
  *args = (struct wm_args){0};
  args->items = wm_allocate(letters + 1, sizeof *args->items);
  args->positional = wm_allocate((size_t)(argc - first) + 1, sizeof *args->positional);
  struct parser p = {args, defs, command, argc, first, argv};
  bool options_ended = false;
  while (p.next < argc) {
    const char *word = argv[p.next++];
    int status = WM_EXIT_OK;
    if (options_ended || word[0] != '-' || word[1] == '\0')
      args->positional[args->positional_count++] = word;
    else if (strcmp(word, "--") == 0)
      options_ended = true;
    else
      status = word[1] == '-' ? take_long(&p, word) : take_short(&p, word);
    if (status != WM_EXIT_OK)
      return status;
    if (wm_args_has(args, WM_OPT_HELP) || wm_args_has(args, WM_OPT_VERSION))
      break;
  }
  const struct wm_arg *color = wm_args_find(args, WM_OPT_COLOR);
  if (color != NULL)
    wm_set_color((enum wm_color)color->number, true);
  if (wm_args_has(args, WM_OPT_QUIET))
    wm_set_quiet(true);
  return WM_EXIT_OK;
}

void wm_args_free(struct wm_args *args)
{
  free(args->items);
  free(args->positional);
  *args = (struct wm_args){0};
}

const struct wm_arg *wm_args_find(const struct wm_args *args, int id)
{
  for (uint32_t i = args->count; i-- > 0;)
    if (args->items[i].def->id == id)
      return &args->items[i];
  return NULL;
}

bool wm_args_has(const struct wm_args *args, int id)
{
  return wm_args_find(args, id) != NULL;
}

const char *wm_args_text(const struct wm_args *args, int id, const char *otherwise)
{
  const struct wm_arg *arg = wm_args_find(args, id);
  return arg != NULL ? arg->text : otherwise;
}

uint64_t wm_args_number(const struct wm_args *args, int id, uint64_t otherwise)
{
  const struct wm_arg *arg = wm_args_find(args, id);
  return arg != NULL ? arg->number : otherwise;
}
