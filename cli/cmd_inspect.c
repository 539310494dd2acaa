/* `wasmeter inspect`: what a module is. Contract, input and output, uniforms, memory, imports, exports, features, size and digest.
 *
 * Nothing runs but the getters of V1 and V2 components. A module that is no component is described all the same, with the
 * reason why it is none. Two forms: text for people, JSON (one object) for tools. */
#include <inttypes.h>
#include <string.h>

#include "cli/bench_clock.h"
#include "cli/commands.h"
#include "cli/digest.h"
#include "cli/feature.h"
#include "cli/files.h"
#include "cli/job.h"
#include "cli/message.h"
#include "cli/session.h"
#include "cli/values.h"

static const struct wm_opt_def options[] = {
  WM_ROW_OUTPUT, WM_ROW_FORMAT("text|json", "how it is written (default text)"), WM_ROW_SYMBOLS, WM_ROWS_LIMITS, WM_ROWS_COMMON, WM_ROW_END,
};

static const char *const kind_names[] = {
  [WM_EXTERN_FUNC] = "function", [WM_EXTERN_TABLE] = "table", [WM_EXTERN_MEMORY] = "memory", [WM_EXTERN_GLOBAL] = "global",
  [WM_EXTERN_TAG] = "tag",
};

struct inspection {
  struct wm_session session;
  struct wm_file file;
  struct wm_problem problem; /* why it is no component */
  bool is_component;
  bool is_timed;             /* a component but for the clock of timed copies, its only import */
  uint32_t features;
  struct wm_buffer out;
};

/* ---- Shared pieces ---------------------------------------------------------------------------------------------- */

static const char *entry_signature(const struct wm_contract *contract)
{
  static const char *const signatures[] = {
    [WM_CONTRACT_NONE] = "", [WM_CONTRACT_V1] = "run(i32) -> i32", [WM_CONTRACT_V2] = "render(i32) -> i32", [WM_CONTRACT_V3] = "render(i32) -> i64",
  };
  return signatures[contract->version];
}

/* The type of an import or export as text. */
static void print_extern_type(struct wm_buffer *out, const struct wm_module *module, uint8_t kind, uint32_t index)
{
  const struct wm_limits_type *limits = NULL;
  switch (kind) {
  case WM_EXTERN_FUNC:
    wm_signature_print(out, wm_func_type(module, index));
    return;
  case WM_EXTERN_TAG:
    wm_signature_print(out, wm_types_get(module->types, module->tags[index].type));
    return;
  case WM_EXTERN_GLOBAL:
    wm_buffer_text(out, module->globals[index].type.is_mutable ? "mut " : "");
    wm_valtype_print(out, module->globals[index].type.type);
    return;
  case WM_EXTERN_TABLE:
    wm_valtype_print(out, module->tables[index].type.element);
    wm_buffer_char(out, ' ');
    limits = &module->tables[index].type.limits;
    break;
  default:
    limits = &module->memories[index].type.limits;
    break;
  }
  wm_buffer_format(out, "%s%" PRIu64, limits->is_64 ? "i64 " : "", limits->minimum);
  if (limits->has_maximum)
    wm_buffer_format(out, "..%" PRIu64, limits->maximum);
  wm_buffer_text(out, kind == WM_EXTERN_MEMORY ? " pages" : " entries");
}

/* ---- Text ------------------------------------------------------------------------------------------------------- */

static void label(struct wm_buffer *out, const char *name)
{
  wm_buffer_format(out, "%-12s", name);
}

static void text_side(struct wm_buffer *out, const char *name, uint8_t encoding, const struct wm_getter *pointer, const struct wm_getter *cap,
                      const struct wm_content_type *type)
{
  label(out, name);
  wm_buffer_text(out, wm_encoding_name((enum wm_encoding)encoding));
  if (cap->is_present && cap->is_known)
    wm_buffer_format(out, ", capacity %" PRIu32 "%s", cap->value, encoding == WM_ENCODING_I32 ? " items" : " bytes");
  if (pointer != NULL && pointer->is_present && pointer->is_known)
    wm_buffer_format(out, ", at 0x%" PRIx32, pointer->value);
  if (type->text.length > 0) {
    wm_buffer_text(out, ", type ");
    wm_buffer_escaped(out, type->text.bytes, type->text.length);
  }
  wm_buffer_char(out, '\n');
}

static void text_uniforms(struct wm_buffer *out, const struct wm_contract *contract)
{
  label(out, "uniforms");
  for (uint32_t i = 0; i < contract->uniform_count; i++) {
    const struct wm_contract_uniform *uniform = &contract->uniforms[i];
    wm_buffer_text(out, i > 0 ? ", " : "");
    wm_buffer_escaped(out, uniform->key.bytes, uniform->key.length);
    wm_buffer_char(out, ' ');
    if (uniform->type != 0)
      wm_valtype_print(out, uniform->type);
    else
      wm_buffer_text(out, "(setter of another type)");
  }
  wm_buffer_text(out, contract->uniform_count == 0 ? "none\n" : "\n");
}

static void text_contract(struct inspection *in)
{
  struct wm_buffer *out = &in->out;
  const struct wm_contract *contract = &in->session.contract;
  label(out, "contract");
  if (!in->is_component) {
    if (contract->version == WM_CONTRACT_NONE)
      wm_buffer_text(out, "none: ");
    else
      wm_buffer_format(out, "V%u, broken: ", contract->version);
    wm_buffer_escaped(out, in->problem.text, in->problem.length);
    wm_buffer_char(out, '\n');
    return;
  }
  wm_buffer_format(out, "V%u, %s, function %" PRIu32 "\n", contract->version, entry_signature(contract), contract->entry);
  if (contract->is_generator) {
    label(out, "input");
    wm_buffer_text(out, "none: a generator\n");
  } else {
    text_side(out, "input", contract->input_encoding, &contract->input_ptr, &contract->input_cap, &contract->input_type);
  }
  text_side(out, "output", contract->output_encoding, NULL, &contract->output_cap, &contract->output_type);
  if (contract->failure_modes.is_present) {
    label(out, "rejection");
    if (contract->failure_modes.value == 0)
      wm_buffer_text(out, "without an offset\n");
    else
      wm_buffer_format(out, "with an input offset and one of %" PRIu32 " mode%s\n", contract->failure_modes.value,
                       contract->failure_modes.value == 1 ? "" : "s");
  }
  text_uniforms(out, contract);
  if (contract->is_interactive) {
    label(out, "lifecycle");
    wm_buffer_format(out, "timed%s%s\n", contract->key_event != WM_NO_INDEX ? ", key events" : "",
                     contract->pointer_event != WM_NO_INDEX ? ", pointer events" : "");
  }
  if (in->is_timed) {
    label(out, "timed copy");
    wm_buffer_format(out, "imports qip_bench.now_ms and %s: `wasmeter time` runs it, a shipped component imports nothing\n",
                     contract->layer_times_ptr != WM_NO_INDEX && contract->layer_times_len != WM_NO_INDEX ? "exports its layer times" : "exports no layer times");
  }
}

static void text_externs(struct inspection *in)
{
  struct wm_buffer *out = &in->out;
  const struct wm_module *module = &in->session.module;
  for (uint32_t i = 0; i < module->import_count; i++) {
    const struct wm_import *import = &module->imports[i];
    label(out, "import");
    wm_buffer_format(out, "%s %" PRIu32 " ", kind_names[import->kind], import->index);
    wm_buffer_escaped(out, import->module.bytes, import->module.length);
    wm_buffer_char(out, '.');
    wm_buffer_escaped(out, import->name.bytes, import->name.length);
    wm_buffer_char(out, ' ');
    print_extern_type(out, module, import->kind, import->index);
    wm_buffer_char(out, '\n');
  }
  for (uint32_t i = 0; i < module->export_count; i++) {
    const struct wm_export *export_ = &module->exports[i];
    label(out, "export");
    wm_buffer_format(out, "%s %" PRIu32 " ", kind_names[export_->kind], export_->index);
    wm_buffer_escaped(out, export_->name.bytes, export_->name.length);
    wm_buffer_char(out, ' ');
    print_extern_type(out, module, export_->kind, export_->index);
    wm_buffer_char(out, '\n');
  }
}

static void print_text(struct inspection *in)
{
  struct wm_buffer *out = &in->out;
  const struct wm_module *module = &in->session.module;
  label(out, "module");
  wm_buffer_escaped(out, in->session.label, strlen(in->session.label));
  char digest[WM_DIGEST_CHARS];
  wm_digest(digest, in->file.bytes, in->file.length);
  wm_buffer_format(out, "\n%-12s%zu bytes\n%-12s%s\n", "size", in->file.length, "xxh3-128", digest);
  text_contract(in);
  for (uint32_t i = 0; i < module->memory_count; i++) {
    wm_buffer_format(out, "memory %-5" PRIu32, i);
    print_extern_type(out, module, WM_EXTERN_MEMORY, i);
    wm_buffer_format(out, " (%" PRIu64 " bytes)\n", module->memories[i].type.limits.minimum << 16);
  }
  label(out, "functions");
  wm_buffer_format(out, "%" PRIu32 " (%" PRIu32 " imported), %" PRIu64 " instructions\n", module->func_count, module->imported_func_count,
                   module->instruction_count);
  label(out, "sections");
  wm_buffer_format(out, "%" PRIu32 " types, %" PRIu32 " tables, %" PRIu32 " globals, %" PRIu32 " element and %" PRIu32 " data segments\n",
                   module->type_count, module->table_count, module->global_count, module->element_count, module->data_count);
  label(out, "start");
  if (module->has_start)
    wm_buffer_format(out, "function %" PRIu32 "\n", module->start);
  else
    wm_buffer_text(out, "none\n");
  label(out, "names");
  wm_buffer_text(out, wm_symbols_source(&in->session.symbols));
  wm_buffer_char(out, '\n');
  label(out, "features");
  const char *separator = "";
  for (uint32_t i = 0; i < WM_FEATURE_COUNT; i++) {
    if ((in->features >> i & 1) == 0)
      continue;
    wm_buffer_format(out, "%s%s", separator, wm_feature_names[i]);
    separator = ", ";
  }
  wm_buffer_text(out, in->features == 0 ? "none\n" : "\n");
  text_externs(in);
}

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

static void json_getter(struct wm_buffer *out, const char *name, const struct wm_getter *getter)
{
  wm_buffer_format(out, ", \"%s\": ", name);
  if (getter->is_present && getter->is_known)
    wm_buffer_format(out, "%" PRIu32, getter->value);
  else
    wm_buffer_text(out, "null");
}

static void json_type(struct wm_buffer *out, const struct wm_content_type *type)
{
  wm_buffer_text(out, ", \"content_type\": ");
  if (type->text.length > 0)
    wm_buffer_json(out, type->text.bytes, type->text.length);
  else
    wm_buffer_text(out, "null");
}

static void json_contract(struct inspection *in)
{
  struct wm_buffer *out = &in->out;
  const struct wm_contract *contract = &in->session.contract;
  wm_buffer_format(out, "  \"contract\": %u,\n", in->is_component ? contract->version : 0);
  if (!in->is_component) {
    wm_buffer_text(out, "  \"reason\": ");
    wm_buffer_json(out, in->problem.text, in->problem.length);
    wm_buffer_text(out, ",\n");
    return;
  }
  wm_buffer_format(out, "  \"entry\": %" PRIu32 ",\n  \"generator\": %s,\n  \"input\": ", contract->entry,
                   contract->is_generator ? "true" : "false");
  if (contract->is_generator) {
    wm_buffer_text(out, "null");
  } else {
    wm_buffer_format(out, "{\"encoding\": \"%s\"", wm_encoding_name((enum wm_encoding)contract->input_encoding));
    json_getter(out, "pointer", &contract->input_ptr);
    json_getter(out, "capacity", &contract->input_cap);
    json_type(out, &contract->input_type);
    wm_buffer_char(out, '}');
  }
  wm_buffer_format(out, ",\n  \"output\": {\"encoding\": \"%s\"", wm_encoding_name((enum wm_encoding)contract->output_encoding));
  json_getter(out, "capacity", &contract->output_cap);
  json_type(out, &contract->output_type);
  wm_buffer_text(out, "}");
  json_getter(out, "failure_modes_per_input_offset", &contract->failure_modes);
  wm_buffer_text(out, ",\n  \"uniforms\": {");
  for (uint32_t i = 0; i < contract->uniform_count; i++) {
    wm_buffer_text(out, i > 0 ? ", " : "");
    wm_buffer_json(out, contract->uniforms[i].key.bytes, contract->uniforms[i].key.length);
    wm_buffer_text(out, ": ");
    if (contract->uniforms[i].type == 0) {
      wm_buffer_text(out, "null");
      continue;
    }
    wm_buffer_char(out, '"');
    wm_valtype_print(out, contract->uniforms[i].type);
    wm_buffer_char(out, '"');
  }
  wm_buffer_format(out, "},\n  \"interactive\": %s,\n  \"timed_copy\": %s,\n", contract->is_interactive ? "true" : "false",
                   in->is_timed ? "true" : "false");
}

static void json_extern(struct inspection *in, uint8_t kind, uint32_t index, const struct wm_name *module, const struct wm_name *name)
{
  struct wm_buffer *out = &in->out;
  struct wm_buffer type = WM_BUFFER_EMPTY;
  print_extern_type(&type, &in->session.module, kind, index);
  wm_buffer_format(out, "{\"kind\": \"%s\", \"index\": %" PRIu32, kind_names[kind], index);
  if (module != NULL) {
    wm_buffer_text(out, ", \"module\": ");
    wm_buffer_json(out, module->bytes, module->length);
  }
  wm_buffer_text(out, ", \"name\": ");
  wm_buffer_json(out, name->bytes, name->length);
  wm_buffer_text(out, ", \"type\": ");
  wm_buffer_json(out, type.bytes, type.length);
  wm_buffer_char(out, '}');
  wm_buffer_free(&type);
}

static void json_sections(struct inspection *in)
{
  struct wm_buffer *out = &in->out;
  const struct wm_module *module = &in->session.module;
  wm_buffer_text(out, "  \"memories\": [");
  for (uint32_t i = 0; i < module->memory_count; i++) {
    const struct wm_limits_type *limits = &module->memories[i].type.limits;
    wm_buffer_format(out, "%s{\"initial_pages\": %" PRIu64 ", \"maximum_pages\": ", i > 0 ? ", " : "", limits->minimum);
    if (limits->has_maximum)
      wm_buffer_format(out, "%" PRIu64, limits->maximum);
    else
      wm_buffer_text(out, "null");
    wm_buffer_format(out, ", \"is_64\": %s}", limits->is_64 ? "true" : "false");
  }
  wm_buffer_format(out, "],\n  \"functions\": %" PRIu32 ",\n  \"imported_functions\": %" PRIu32 ",\n  \"instructions\": %" PRIu64 ",\n",
                   module->func_count, module->imported_func_count, module->instruction_count);
  wm_buffer_format(out, "  \"types\": %" PRIu32 ",\n  \"tables\": %" PRIu32 ",\n  \"globals\": %" PRIu32 ",\n  \"element_segments\": %" PRIu32
                   ",\n  \"data_segments\": %" PRIu32 ",\n", module->type_count, module->table_count, module->global_count, module->element_count,
                   module->data_count);
  wm_buffer_text(out, "  \"start\": ");
  if (module->has_start)
    wm_buffer_format(out, "%" PRIu32, module->start);
  else
    wm_buffer_text(out, "null");
  wm_buffer_format(out, ",\n  \"names\": \"%s\",\n  \"features\": [", wm_symbols_source(&in->session.symbols));
  const char *separator = "";
  for (uint32_t i = 0; i < WM_FEATURE_COUNT; i++) {
    if ((in->features >> i & 1) == 0)
      continue;
    wm_buffer_format(out, "%s\"%s\"", separator, wm_feature_names[i]);
    separator = ", ";
  }
  wm_buffer_text(out, "],\n");
}

static void print_json(struct inspection *in)
{
  struct wm_buffer *out = &in->out;
  const struct wm_module *module = &in->session.module;
  char digest[WM_DIGEST_CHARS];
  wm_digest(digest, in->file.bytes, in->file.length);
  wm_buffer_text(out, "{\n  \"module\": ");
  wm_buffer_json(out, in->session.label, strlen(in->session.label));
  wm_buffer_format(out, ",\n  \"bytes\": %zu,\n  \"xxh3_128\": \"%s\",\n", in->file.length, digest);
  json_contract(in);
  json_sections(in);
  wm_buffer_text(out, "  \"imports\": [");
  for (uint32_t i = 0; i < module->import_count; i++) {
    wm_buffer_text(out, i > 0 ? ",\n    " : "\n    ");
    json_extern(in, module->imports[i].kind, module->imports[i].index, &module->imports[i].module, &module->imports[i].name);
  }
  wm_buffer_text(out, "],\n  \"exports\": [");
  for (uint32_t i = 0; i < module->export_count; i++) {
    wm_buffer_text(out, i > 0 ? ",\n    " : "\n    ");
    json_extern(in, module->exports[i].kind, module->exports[i].index, NULL, &module->exports[i].name);
  }
  wm_buffer_text(out, "]\n}\n");
}

/* ---- The command ------------------------------------------------------------------------------------------------ */

static int look(struct inspection *in, const struct wm_args *args, const char *path)
{
  struct wm_limits limits = wm_job_limits(args);
  int status = wm_file_read(path, limits.module_bytes, &in->file);
  if (status != WM_EXIT_OK)
    return status;
  if (in->file.is_too_large)
    return wm_fail(WM_EXIT_DATA, path, "module is larger than the limit of %" PRIu64 " bytes", limits.module_bytes);
  status = wm_session_load(&in->session, path, in->file.bytes, in->file.length, &limits);
  if (status == WM_EXIT_OK)
    status = wm_session_symbols(&in->session, wm_args_text(args, WM_OPT_SYMBOLS, NULL));
  if (status != WM_EXIT_OK)
    return status;
  if (!wm_features_find(&in->session.module, &in->session.arena, &in->features))
    return wm_fail(WM_EXIT_INTERNAL, path, "the host has no memory for it");
  wm_problem_clear(&in->problem);
  bool has_clock = wm_bench_clock_is_wanted(&in->session.module);
  in->is_component = wm_contract_read(&in->session.contract, &in->session.module, has_clock ? WM_CONTRACT_ALLOW_IMPORTS : 0,
                                      &in->session.arena, &in->problem);
  in->is_timed = in->is_component && has_clock;
  in->session.arena_mark = in->session.arena.used;
  if (in->is_component && !in->is_timed) /* a timed copy's getters would need its clock */
    status = wm_session_resolve(&in->session, wm_args_number(args, WM_OPT_BUDGET, WM_DEFAULT_BUDGET));
  return status;
}

static int run(const struct wm_args *args)
{
  if (args->positional_count != 1)
    return wm_fail(WM_EXIT_USAGE, NULL, "inspect takes one module, %" PRIu32 " given", args->positional_count);
  struct inspection in = {0};
  int status = look(&in, args, args->positional[0]);
  if (status == WM_EXIT_OK) {
    if (wm_args_number(args, WM_OPT_FORMAT, 0) == 1)
      print_json(&in);
    else
      print_text(&in);
    status = wm_output_write(wm_args_text(args, WM_OPT_OUTPUT, NULL), in.out.bytes, in.out.length);
  }
  wm_session_close(&in.session);
  wm_file_free(&in.file);
  wm_buffer_free(&in.out);
  return status;
}

const struct wm_command wm_command_inspect = {
  "inspect", "tells what a module is: contract, input and output, memory, features, imports, exports", "[options] MODULE.wasm",
  "A module that is no component is described too, with the reason why it is none. A timed copy, whose only import is\n"
  "qip_bench.now_ms, is judged as the component it is a copy of.\n", options, run,
};
