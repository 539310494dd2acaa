/* Plan-time checks between the stages of a pipeline. Content types are read here only: a component that stands alone may declare
 * what it likes. */
#include "qip/pipeline.h"

/* ---- Content types ---------------------------------------------------------------------------------------------- */

static bool is_token_byte(char byte)
{
  if ((byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9'))
    return true;
  for (const char *other = "!#$&^_.+-"; *other; other++)
    if (byte == *other)
      return true;
  return false;
}

static char lower(char byte)
{
  return byte >= 'A' && byte <= 'Z' ? (char)(byte + 32) : byte;
}

/* Values keep their case and may hold any visible byte that separates nothing. */
static bool is_value_byte(char byte)
{
  return byte > 0x20 && byte < 0x7f && byte != ';' && byte != ',' && byte != '"';
}

/* Length of `type/subtype`, 0 when it is none. */
static uint32_t essence_length(struct wm_text type)
{
  uint32_t at = 0, slash = 0;
  for (; at < type.length && type.bytes[at] != ';'; at++) {
    if (type.bytes[at] == '/' && slash == 0 && at > 0)
      slash = at;
    else if (!is_token_byte(type.bytes[at]))
      return 0;
  }
  return slash > 0 && at > slash + 1 ? at : 0;
}

/* Cuts the next `;name=value` from *rest; false at the end, or (rest then not empty) when it is malformed. */
static bool next_parameter(struct wm_text *rest, struct wm_text *name, struct wm_text *value)
{
  if (rest->length == 0 || rest->bytes[0] != ';')
    return false;
  const char *start = rest->bytes + 1, *end = rest->bytes + rest->length, *at = start;
  while (at < end && is_token_byte(lower(*at)))
    at++;
  *name = (struct wm_text){start, (uint32_t)(at - start)};
  if (name->length == 0 || at == end || *at != '=')
    return false;
  start = ++at;
  while (at < end && is_value_byte(*at))
    at++;
  *value = (struct wm_text){start, (uint32_t)(at - start)};
  if (value->length == 0)
    return false;
  *rest = (struct wm_text){at, (uint32_t)(end - at)};
  return true;
}

static struct wm_text parameters_of(struct wm_text type)
{
  uint32_t length = essence_length(type);
  return (struct wm_text){type.bytes + length, type.length - length};
}

bool wm_content_type_is_valid(struct wm_text type)
{
  struct wm_text rest = parameters_of(type), name, value;
  if (essence_length(type) == 0)
    return false;
  while (next_parameter(&rest, &name, &value)) {
  }
  return rest.length == 0;
}

static bool is_same_name(struct wm_text a, struct wm_text b)
{
  for (uint32_t i = 0; a.length == b.length && i < a.length; i++)
    if (lower(a.bytes[i]) != lower(b.bytes[i]))
      return false;
  return a.length == b.length;
}

bool wm_content_type_matches(struct wm_text given, struct wm_text wanted)
{
  struct wm_text name, value, other_name, other_value, rest = parameters_of(given);
  if (!wm_text_equal((struct wm_text){given.bytes, essence_length(given)}, (struct wm_text){wanted.bytes, essence_length(wanted)}))
    return false;
  while (next_parameter(&rest, &name, &value)) {
    struct wm_text others = parameters_of(wanted);
    while (next_parameter(&others, &other_name, &other_value))
      if (is_same_name(name, other_name) && !wm_text_equal(value, other_value))
        return false;
  }
  return true;
}

/* ---- Stages ----------------------------------------------------------------------------------------------------- */

/* `step N PATH`. */
static void add_step(struct wm_problem *problem, const struct wm_stage *stages, uint32_t index)
{
  wm_problem_text(problem, "step ");
  wm_problem_number(problem, index + (uint64_t)1);
  wm_problem_text(problem, " ");
  wm_problem_bytes(problem, stages[index].path.bytes, stages[index].path.length);
}

static bool begin_step(struct wm_problem *problem, const struct wm_stage *stages, uint32_t index)
{
  if (!wm_problem_begin(problem, WM_CONTRACT))
    return false;
  add_step(problem, stages, index);
  return true;
}

static bool refuse_type(struct wm_problem *problem, const struct wm_stage *stages, uint32_t index, const char *what, struct wm_text type)
{
  if (begin_step(problem, stages, index)) {
    wm_problem_text(problem, what);
    wm_problem_bytes(problem, type.bytes, type.length);
  }
  return false;
}

static bool check_encodings(const struct wm_stage *stages, uint32_t index, struct wm_problem *problem)
{
  const struct wm_contract *before = stages[index - 1].contract, *here = stages[index].contract;
  const char *what = NULL;
  if (here->is_generator)
    what = " takes no input: it can only be the first step";
  else if (before->output_encoding == WM_ENCODING_NONE)
    what = " has nothing to read: the step before it writes no output";
  else if (here->input_encoding == WM_ENCODING_UTF8 && before->output_encoding != WM_ENCODING_UTF8)
    what = " takes UTF-8, but the step before it writes bytes";
  if (what == NULL)
    return true;
  if (begin_step(problem, stages, index))
    wm_problem_text(problem, what);
  return false;
}

/* Checks the declared input type against what is known, and says in *known what the stage leaves. */
static bool track_type(const struct wm_stage *stages, uint32_t index, struct wm_text *known, struct wm_problem *problem)
{
  const struct wm_contract *contract = stages[index].contract;
  struct wm_text wanted = contract->input_type.text, made = contract->output_type.text;
  if (wanted.length > 0 && !wm_content_type_is_valid(wanted))
    return refuse_type(problem, stages, index, " declares an input type that is no lower-case media type: ", wanted);
  if (made.length > 0 && !wm_content_type_is_valid(made))
    return refuse_type(problem, stages, index, " declares an output type that is no lower-case media type: ", made);
  if (wanted.length > 0 && known->length == 0) {
    if (index > 0)
      return refuse_type(problem, stages, index, " gets input of unknown type, it takes ", wanted);
    *known = wanted;
  } else if (wanted.length > 0 && !wm_content_type_matches(*known, wanted)) {
    refuse_type(problem, stages, index, " gets ", *known);
    wm_problem_text(problem, ", it takes ");
    wm_problem_bytes(problem, wanted.bytes, wanted.length);
    return false;
  }
  bool is_decoding = contract->input_encoding == WM_ENCODING_BYTES && contract->output_encoding == WM_ENCODING_UTF8;
  if (made.length > 0 || is_decoding || contract->is_generator)
    *known = made;
  return true;
}

bool wm_pipeline_check(const struct wm_stage *stages, uint32_t count, struct wm_text input_type, struct wm_problem *problem)
{
  struct wm_text known = input_type;
  for (uint32_t i = 0; i < count; i++)
    if ((i > 0 && !check_encodings(stages, i, problem)) || !track_type(stages, i, &known, problem))
      return false;
  return true;
}

bool wm_pipeline_capacity_note(const struct wm_stage *stages, uint32_t count, uint32_t index, struct wm_problem *note)
{
  if (count < 2 || index > count - 2)
    return false;
  const struct wm_contract *here = stages[index].contract, *next = stages[index + 1].contract;
  if (!here->output_cap.is_known || !next->input_cap.is_known)
    return false;
  uint64_t most = (uint64_t)here->output_cap.value * (here->output_encoding == WM_ENCODING_I32 ? 4 : 1);
  if (most <= next->input_cap.value || !begin_step(note, stages, index))
    return false;
  wm_problem_text(note, " may write ");
  wm_problem_number(note, most);
  wm_problem_text(note, " bytes, ");
  add_step(note, stages, index + 1);
  wm_problem_text(note, " takes at most ");
  wm_problem_number(note, next->input_cap.value);
  return true;
}
