/* What the returned word means, generation by generation: accepted output, rejection, or a broken contract. */
#include "instrument/text.h"
#include "qip/session.h"
#include "qip/utf8.h"

static void violate(struct wm_content *content, const char *text)
{
  wm_outcome_fail(&content->outcome, WM_CONTENT_VIOLATION, WM_CONTRACT, text);
}

static void add_number(struct wm_content *content, uint64_t number, const char *after)
{
  wm_problem_number(&content->outcome.problem, number);
  wm_problem_text(&content->outcome.problem, after);
}

/* ---- Rejection -------------------------------------------------------------------------------------------------- */

static void reject(struct wm_content *content, bool has_offset, uint64_t offset, bool has_mode, uint64_t mode)
{
  struct wm_content_outcome *outcome = &content->outcome;
  wm_outcome_fail(outcome, WM_CONTENT_REJECTED, WM_REQUEST, "rejected input");
  outcome->has_rejection_offset = has_offset;
  outcome->rejection_offset = offset;
  outcome->has_rejection_mode = has_mode;
  outcome->rejection_mode = mode;
  if (has_offset) {
    wm_problem_text(&outcome->problem, " at input offset ");
    add_number(content, offset, "");
  }
  if (has_mode) {
    wm_problem_text(&outcome->problem, " with mode ");
    add_number(content, mode, "");
  }
}

static void judge_rejection(struct wm_content *content, uint64_t word, uint64_t input_length)
{
  const struct wm_getter *modes = &content->setup.contract->failure_modes;
  uint64_t detail = word & UINT32_MAX;
  if (!modes->is_present) {
    violate(content, "render rejected its input, but failure_modes_per_input_offset is not exported");
  } else if ((word >> 32 & 0x7fffffff) != 0) {
    violate(content, "render set reserved bits (62 to 32) in a rejection");
  } else if (modes->value == 0) {
    if (detail == 0) {
      reject(content, false, 0, false, 0);
      return;
    }
    violate(content, "render rejected its input with detail ");
    add_number(content, detail, ", but failure_modes_per_input_offset is 0");
  } else if (detail / modes->value > input_length) {
    violate(content, "render rejected its input at offset ");
    add_number(content, detail / modes->value, ", beyond its ");
    add_number(content, input_length, " bytes");
  } else {
    reject(content, true, detail / modes->value, modes->value > 1, detail % modes->value);
  }
}

/* ---- Output ----------------------------------------------------------------------------------------------------- */

/* The output may not lie in the input buffer, unless it is a piece of this input, unchanged. */
static bool is_apart_from_input(const struct wm_content *content, const uint8_t *memory, uint64_t address, uint64_t length, uint64_t input_length)
{
  const struct wm_contract *contract = content->setup.contract;
  uint64_t start = contract->input_ptr.value, end = start + contract->input_cap.value;
  if (contract->is_generator || length == 0 || address >= end || address + length <= start)
    return true;
  if (address < start || address + length > start + input_length)
    return false;
  return wm_bytes_equal(memory + address, content->setup.input + (address - start), (size_t)length);
}

static void add_output_region(struct wm_content *content)
{
  const struct wm_content_outcome *outcome = &content->outcome;
  content->region_count = content->input_region_count;
  if (outcome->output_length > 0)
    content->regions[content->region_count++] = (struct wm_region){WM_REGION_OUTPUT, 0, outcome->output_address, outcome->output_length};
}

/* `items` of the output's encoding at `address`: checked, and accepted. */
static void judge_output(struct wm_content *content, const char *entry, uint64_t address, uint64_t items, uint64_t input_length)
{
  const struct wm_contract *contract = content->setup.contract;
  struct wm_content_outcome *outcome = &content->outcome;
  struct wm_memory_bytes memory = wm_instance_memory(content->instance, 0);
  uint64_t length = contract->output_encoding == WM_ENCODING_I32 ? items * 4 : items, bad;
  if (items > contract->output_cap.value) {
    violate(content, entry);
    wm_problem_text(&outcome->problem, " returned ");
    add_number(content, items, contract->output_encoding == WM_ENCODING_I32 ? " items, more than output_i32_cap: " :
                               contract->output_encoding == WM_ENCODING_UTF8 ? " bytes, more than output_utf8_cap: " : " bytes, more than output_bytes_cap: ");
    add_number(content, contract->output_cap.value, "");
  } else if (address > memory.length || length > memory.length - address) {
    violate(content, entry);
    wm_problem_text(&outcome->problem, " returned output [");
    add_number(content, address, ", ");
    add_number(content, address + length, ") outside its memory of ");
    add_number(content, memory.length, " bytes");
  } else if (contract->version == WM_CONTRACT_V3 && !is_apart_from_input(content, memory.base, address, length, input_length)) {
    violate(content, entry);
    wm_problem_text(&outcome->problem, " returned output [");
    add_number(content, address, ", ");
    add_number(content, address + length, ") in the input buffer that is no unchanged piece of the input");
  } else if (contract->output_encoding == WM_ENCODING_UTF8 && length > 0 && !wm_utf8_is_valid(memory.base + address, length, &bad)) {
    violate(content, entry);
    wm_problem_text(&outcome->problem, " returned invalid UTF-8 at output offset ");
    add_number(content, bad, "");
  } else {
    outcome->result = WM_CONTENT_ACCEPTED;
    outcome->output_address = address;
    outcome->output_length = length;
    outcome->output_encoding = contract->output_encoding;
    add_output_region(content);
  }
}

/* ---- Generations ------------------------------------------------------------------------------------------------ */

/* output_ptr, which V1 and V2 are asked for only now. */
static bool find_output(struct wm_content *content, uint64_t *address)
{
  const struct wm_getter *getter = &content->setup.contract->output_ptr;
  struct wm_value value;
  if (getter->is_global)
    value = wm_extern_global(wm_instance_item(content->instance, WM_EXTERN_GLOBAL, getter->index));
  else if (!wm_call_quietly(content->setup.store, wm_instance_item(content->instance, WM_EXTERN_FUNC, getter->index), wm_text_of("output_ptr"),
                            &content->budget_left, &value, &content->outcome))
    return false;
  *address = value.bits[0];
  return true;
}

/* V2's verdict; without commit every render is accepted. False: it is not accepted, and the outcome says so. */
static bool ask_commit(struct wm_content *content, uint64_t input_length)
{
  const struct wm_contract *contract = content->setup.contract;
  struct wm_value value;
  if (contract->commit == WM_NO_INDEX)
    return true;
  content->phase = WM_CONTENT_COMMIT;
  struct wm_extern commit = wm_instance_item(content->instance, WM_EXTERN_FUNC, contract->commit);
  if (!wm_call_quietly(content->setup.store, commit, wm_text_of("commit"), &content->budget_left, &value, &content->outcome))
    return false;
  uint64_t word = value.bits[0];
  if (word >> 63 == 0)
    return true;
  bool is_input = (word >> 62 & 1) != 0;
  uint64_t offset = word & UINT32_MAX;
  if (is_input && offset > input_length) {
    violate(content, "commit rejected the input at offset ");
    add_number(content, offset, ", beyond its ");
    add_number(content, input_length, " bytes");
  } else {
    reject(content, is_input, offset, false, 0);
  }
  return false;
}

void wm_content_judge(struct wm_content *content, uint64_t word, uint64_t input_length)
{
  const struct wm_contract *contract = content->setup.contract;
  struct wm_content_outcome *outcome = &content->outcome;
  uint64_t address;
  outcome->word = word;
  outcome->output_length = 0;
  if (contract->version == WM_CONTRACT_V3) {
    if (word >> 63 != 0)
      judge_rejection(content, word, input_length);
    else
      judge_output(content, "render", word >> 32, word & UINT32_MAX, input_length);
    return;
  }
  if (contract->output_encoding == WM_ENCODING_NONE) {
    outcome->result = WM_CONTENT_ACCEPTED; /* V1 without output: the number is the result */
    outcome->output_encoding = WM_ENCODING_NONE;
    return;
  }
  if (contract->version == WM_CONTRACT_V2 && !ask_commit(content, input_length))
    return;
  if (find_output(content, &address))
    judge_output(content, contract->version == WM_CONTRACT_V1 ? "run" : "render", address, word & UINT32_MAX, input_length);
}
