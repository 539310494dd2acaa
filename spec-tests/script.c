/* The commands of a test script (script.h), in both dialects of the JSON.
 *
 * Every command is one function that says how it went. Nothing a script holds can end the process: what is unknown or does not
 * fit its command is a failure of that command. */
#include "spec-tests/script.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/files.h"
#include "spec-tests/json.h"
#include "spec-tests/values.h"
#include "spec-tests/world.h"

#define ARGS_MAX 64
#define RESULTS_MAX 1024
#define FILE_BYTES_MAX (UINT64_C(1) << 30)

enum verdict { PASSED, FAILED, SKIPPED, DONE /* a command that is no assertion and went well */ };

struct script {
  struct wm_spec_world world;
  struct wm_spec_counts *counts;
  struct wm_buffer why; /* what went wrong in the command under way */
  const char *path;
  size_t folder_length; /* of path, with the last slash */
  struct wm_value results[RESULTS_MAX];
  uint32_t result_count;
};

/* ---- Saying what went wrong ---- */

__attribute__((format(printf, 2, 3)))
static enum verdict fail(struct script *s, const char *format, ...)
{
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  wm_buffer_escaped(&s->why, text, strlen(text));
  return FAILED;
}

static const char *without_dollar(const char *name)
{
  return name && name[0] == '$' ? name + 1 : name;
}

/* ---- Modules ---- */

/* The module file of a command, read and decoded. NULL and *error when it does not decode; NULL and status WM_OK when there is no file to read. */
static struct wm_module *decode(struct script *s, const struct wm_json *command, struct wm_error *error)
{
  struct wm_spec_world *w = &s->world;
  const char *name = wm_json_text(command, "binary_filename");
  *error = WM_ERROR_NONE;
  if (!name)
    name = wm_json_text(command, "filename");
  if (!name || strchr(name, '/')) {
    fail(s, "the script names no module file beside it");
    return NULL;
  }
  struct wm_buffer path = WM_BUFFER_EMPTY;
  wm_buffer_add(&path, s->path, s->folder_length);
  wm_buffer_add(&path, name, strlen(name) + 1);
  struct wm_file file;
  bool is_read = wm_file_read((const char *)path.bytes, FILE_BYTES_MAX, &file) == 0 && !file.is_too_large;
  wm_buffer_free(&path);
  if (!is_read) {
    fail(s, "%s cannot be read", name);
    return NULL;
  }
  if (w->file_count == w->file_capacity) {
    w->file_capacity = w->file_capacity ? 2 * w->file_capacity : 64;
    w->files = wm_reallocate(w->files, w->file_capacity, sizeof *w->files);
  }
  w->files[w->file_count++] = file.bytes;
  struct wm_module *module = wm_arena_zero(&w->arena, 1, sizeof *module);
  if (!module) {
    wm_error_set(error, WM_NO_SPACE, WM_NO_OFFSET, "the script's modules need too much space");
    return NULL;
  }
  return wm_module_decode(module, file.bytes, file.length, w->options->limits, &w->types, &w->arena, error) ? module : NULL;
}

static struct wm_instance *link_module(struct script *s, const struct wm_module *module, struct wm_error *error)
{
  struct wm_extern *imports = wm_allocate(module->import_count ? module->import_count : 1, sizeof *imports);
  for (uint32_t i = 0; i < module->import_count; i++)
    imports[i] = wm_spec_world_resolve(&s->world, &module->imports[i]);
  struct wm_instance *instance = wm_instance_link(s->world.store, module, imports, error);
  free(imports);
  return instance;
}

/* Initialisers, segments and the start function. */
static struct wm_spec_end initialise(struct script *s, struct wm_instance *instance)
{
  uint64_t offset;
  const struct wm_module *module = wm_instance_module(instance);
  struct wm_spec_end end = {wm_instance_init(instance, &offset), false, false};
  struct wm_error error;
  if (end.trap == WM_TRAP_NONE && module->has_start)
    end = wm_spec_world_call(&s->world, wm_instance_item(instance, WM_EXTERN_FUNC, module->start), NULL, 0, &error);
  return end;
}

static const char *end_text(struct wm_spec_end end)
{
  return end.out_of_budget ? "instruction budget exhausted"
    : end.no_host_memory ? "the host has no memory" : end.trap ? wm_trap_text(end.trap) : "no trap";
}

static bool end_is_clean(struct wm_spec_end end)
{
  return end.trap == WM_TRAP_NONE && !end.out_of_budget && !end.no_host_memory;
}

/* Makes the module the current instance, or clears that and tells why. */
static enum verdict instantiate(struct script *s, const struct wm_module *module, const char *name)
{
  struct wm_error error = WM_ERROR_NONE;
  struct wm_instance *instance = link_module(s, module, &error);
  enum verdict verdict = DONE;
  if (!instance) {
    verdict = fail(s, "%s", error.message);
  } else {
    struct wm_spec_end end = initialise(s, instance);
    if (!end_is_clean(end)) {
      verdict = fail(s, "%s", end_text(end));
      instance = NULL;
    }
  }
  s->world.current = instance;
  if (name)
    wm_spec_bind(&s->world.instances, name, module, instance);
  return verdict;
}

static enum verdict do_module(struct script *s, const struct wm_json *command, bool is_definition)
{
  struct wm_error error;
  const char *name = without_dollar(wm_json_text(command, "name"));
  struct wm_module *module = decode(s, command, &error);
  s->world.current_module = module;
  if (!module) {
    if (error.status != WM_OK)
      fail(s, "%s at byte %llu", error.message, (unsigned long long)error.offset);
    if (is_definition)
      return FAILED;
    s->world.current = NULL;
    if (name)
      wm_spec_bind(&s->world.instances, name, NULL, NULL);
    return FAILED;
  }
  if (name)
    wm_spec_bind(&s->world.definitions, name, module, NULL);
  return is_definition ? DONE : instantiate(s, module, name);
}

static enum verdict do_instance(struct script *s, const struct wm_json *command)
{
  const char *name = without_dollar(wm_json_text(command, "module"));
  const struct wm_spec_binding *definition = name ? wm_spec_find(s->world.definitions, name, strlen(name)) : NULL;
  const struct wm_module *module = name ? (definition ? definition->module : NULL) : s->world.current_module;
  if (!module)
    return fail(s, "no such module definition");
  return instantiate(s, module, without_dollar(wm_json_text(command, "instance")));
}

/* The instance that a command means: a named one, or the last. NULL when there is none or its module failed. */
static struct wm_instance *find_instance(struct script *s, const char *name)
{
  name = without_dollar(name);
  if (!name)
    return s->world.current;
  const struct wm_spec_binding *binding = wm_spec_find(s->world.instances, name, strlen(name));
  return binding ? binding->instance : NULL;
}

static enum verdict do_register(struct script *s, const struct wm_json *command)
{
  const char *as = wm_json_text(command, "as");
  struct wm_instance *instance = find_instance(s, wm_json_text(command, "name"));
  if (!as)
    return fail(s, "the script gives no name");
  wm_spec_bind(&s->world.registered, as, NULL, instance);
  return instance ? DONE : fail(s, "no such instance");
}

/* ---- Actions ---- */

/* Runs the command's action. False (with why) when it cannot even be started. */
static bool act(struct script *s, const struct wm_json *command, struct wm_spec_end *end)
{
  const struct wm_json *action = wm_json_get(command, "action"), *field = wm_json_get(action, "field"), *list = wm_json_get(action, "args");
  const char *type = wm_json_text(action, "type");
  struct wm_instance *instance = find_instance(s, wm_json_text(action, "module"));
  *end = (struct wm_spec_end){WM_TRAP_NONE, false, false};
  s->result_count = 0;
  if (!type || !field || field->kind != WM_JSON_STRING)
    return fail(s, "the script has no action"), false;
  if (!instance)
    return fail(s, "no such instance"), false;
  const struct wm_export *export_ = wm_module_find_export(wm_instance_module(instance), field->text, field->length);
  if (!export_)
    return fail(s, "unknown export %s", field->text), false;
  struct wm_extern item = wm_instance_export(instance, export_);
  if (strcmp(type, "get") == 0) {
    if (item.kind != WM_EXTERN_GLOBAL)
      return fail(s, "%s is no global", field->text), false;
    s->results[0] = wm_extern_global(item);
    s->result_count = 1;
    return true;
  }
  if (strcmp(type, "invoke") != 0 || item.kind != WM_EXTERN_FUNC)
    return fail(s, "%s is no function", field->text), false;
  struct wm_value args[ARGS_MAX];
  uint32_t count = 0;
  for (const struct wm_json *arg = list ? list->child : NULL; arg; arg = arg->next)
    if (count == ARGS_MAX || !wm_spec_read_value(arg, &args[count++]))
      return fail(s, "argument %u of %s cannot be read", count, field->text), false;
  struct wm_error error;
  *end = wm_spec_world_call(&s->world, item, args, count, &error);
  if (error.status != WM_OK)
    return fail(s, "%s: %s", field->text, error.message), false;
  if (end_is_clean(*end))
    s->result_count = wm_run_results(s->world.run, s->results, RESULTS_MAX);
  return true;
}

static enum verdict do_action(struct script *s, const struct wm_json *command)
{
  struct wm_spec_end end;
  if (!act(s, command, &end))
    return FAILED;
  return end_is_clean(end) ? DONE : fail(s, "%s", end_text(end));
}

static void tell_results(struct script *s, const struct wm_json *expected)
{
  wm_buffer_text(&s->why, "expected (");
  for (const struct wm_json *item = expected; item; item = item->next) {
    wm_buffer_text(&s->why, item == expected ? "" : ", ");
    wm_spec_print_pattern(&s->why, item);
  }
  wm_buffer_text(&s->why, "), got (");
  for (uint32_t i = 0; i < s->result_count; i++) {
    wm_buffer_text(&s->why, i ? ", " : "");
    wm_spec_print_value(&s->why, s->world.store, s->results[i]);
  }
  wm_buffer_char(&s->why, ')');
}

static bool result_matches(struct script *s, const struct wm_json *pattern, struct wm_value value)
{
  return wm_spec_matches(s->world.store, &s->world.types, pattern, value);
}

static enum verdict assert_return(struct script *s, const struct wm_json *command)
{
  struct wm_spec_end end;
  const struct wm_json *expected = wm_json_get(command, "expected"), *either = wm_json_get(command, "either");
  if (!act(s, command, &end))
    return FAILED;
  if (!end_is_clean(end))
    return fail(s, "%s", end_text(end));
  const struct wm_json *first = expected ? expected->child : either ? either->child : NULL;
  if (!expected && either) { /* wabt's dialect: alternatives for the one result */
    for (const struct wm_json *item = first; item; item = item->next)
      if (s->result_count == 1 && result_matches(s, item, s->results[0]))
        return PASSED;
    tell_results(s, first);
    return FAILED;
  }
  uint32_t i = 0;
  const struct wm_json *item = first;
  for (; item && i < s->result_count && result_matches(s, item, s->results[i]); item = item->next)
    i++;
  if (expected && !item && i == s->result_count)
    return PASSED;
  tell_results(s, first);
  return FAILED;
}

/* The suite gives the beginning of a message; once it names the element too, which our texts leave to the place. */
static bool text_matches(const char *wanted, const char *got)
{
  size_t n = strlen(got);
  return wanted && (strncmp(got, wanted, strlen(wanted)) == 0 || (strncmp(wanted, got, n) == 0 && wanted[n] == ' '));
}

static enum verdict judge_trap(struct script *s, struct wm_spec_end end, const char *wanted)
{
  if (end.trap != WM_TRAP_NONE && text_matches(wanted, wm_trap_text(end.trap)))
    return PASSED;
  return fail(s, "expected trap \"%s\", got \"%s\"", wanted ? wanted : "", end_text(end));
}

static enum verdict assert_trap(struct script *s, const struct wm_json *command)
{
  struct wm_spec_end end;
  return act(s, command, &end) ? judge_trap(s, end, wm_json_text(command, "text")) : FAILED;
}

static enum verdict assert_exception(struct script *s, const struct wm_json *command)
{
  struct wm_spec_end end;
  if (!act(s, command, &end))
    return FAILED;
  return end.trap == WM_TRAP_UNCAUGHT_EXCEPTION ? PASSED : fail(s, "expected an exception, got \"%s\"", end_text(end));
}

/* ---- Modules that must fail ---- */

static enum verdict assert_refused(struct script *s, const struct wm_json *command, enum wm_status wanted)
{
  struct wm_error error;
  const char *type = wm_json_text(command, "module_type");
  if (wanted == WM_MALFORMED && type && strcmp(type, "text") == 0)
    return SKIPPED; /* quoted text: the assertion is about a parser of the text format */
  if (decode(s, command, &error))
    return fail(s, "the module was accepted");
  if (error.status == WM_OK)
    return FAILED;
  if (error.status != wanted)
    return fail(s, "refused as %s: %s", error.status == WM_MALFORMED ? "malformed" : error.status == WM_INVALID ? "invalid" : "beyond a limit",
                error.message);
  *(wanted == WM_MALFORMED ? &s->counts->malformed : &s->counts->invalid) += 1;
  return PASSED;
}

static enum verdict assert_unlinkable(struct script *s, const struct wm_json *command)
{
  struct wm_error error;
  const char *wanted = wm_json_text(command, "text");
  struct wm_module *module = decode(s, command, &error);
  if (!module)
    return error.status == WM_OK ? FAILED : fail(s, "%s", error.message);
  if (link_module(s, module, &error))
    return fail(s, "the module was linked");
  return error.status == WM_UNLINKABLE && text_matches(wanted, error.message)
    ? PASSED : fail(s, "expected \"%s\", got \"%s\"", wanted ? wanted : "", error.message);
}

static enum verdict assert_uninstantiable(struct script *s, const struct wm_json *command)
{
  struct wm_error error;
  struct wm_module *module = decode(s, command, &error);
  struct wm_instance *instance = module ? link_module(s, module, &error) : NULL;
  if (!instance)
    return error.status == WM_OK ? FAILED : fail(s, "%s", error.message);
  return judge_trap(s, initialise(s, instance), wm_json_text(command, "text"));
}

/* ---- Scripts ---- */

static enum verdict run_command(struct script *s, const struct wm_json *command, const char *type)
{
  if (strcmp(type, "module") == 0) return do_module(s, command, false);
  if (strcmp(type, "module_definition") == 0) return do_module(s, command, true);
  if (strcmp(type, "module_instance") == 0) return do_instance(s, command);
  if (strcmp(type, "register") == 0) return do_register(s, command);
  if (strcmp(type, "action") == 0) return do_action(s, command);
  if (strcmp(type, "assert_return") == 0) return assert_return(s, command);
  if (strcmp(type, "assert_trap") == 0) return assert_trap(s, command);
  if (strcmp(type, "assert_exhaustion") == 0) return assert_trap(s, command);
  if (strcmp(type, "assert_exception") == 0) return assert_exception(s, command);
  if (strcmp(type, "assert_invalid") == 0) return assert_refused(s, command, WM_INVALID);
  if (strcmp(type, "assert_malformed") == 0) return assert_refused(s, command, WM_MALFORMED);
  if (strcmp(type, "assert_unlinkable") == 0) return assert_unlinkable(s, command);
  if (strcmp(type, "assert_uninstantiable") == 0) return assert_uninstantiable(s, command);
  if (strcmp(type, "assert_invalid_custom") == 0 || strcmp(type, "assert_malformed_custom") == 0)
    return SKIPPED; /* custom annotations: not part of the language an interpreter runs */
  return fail(s, "unknown command");
}

static void count(struct script *s, enum verdict verdict, const struct wm_json *command, const char *type, wm_spec_report report, void *user)
{
  s->counts->passed += verdict == PASSED;
  s->counts->skipped += verdict == SKIPPED;
  s->counts->failed += verdict == FAILED;
  if (verdict != FAILED)
    return;
  const struct wm_json *field = wm_json_get(wm_json_get(command, "action"), "field");
  const char *line = wm_json_text(command, "line");
  struct wm_buffer text = WM_BUFFER_EMPTY;
  wm_buffer_escaped(&text, type, strlen(type));
  if (field && field->text) {
    wm_buffer_char(&text, ' ');
    wm_buffer_escaped(&text, field->text, field->length);
  }
  wm_buffer_text(&text, ": ");
  wm_buffer_add(&text, s->why.bytes, s->why.length);
  report(user, line ? strtoull(line, NULL, 10) : 0, (const char *)text.bytes, text.length);
  wm_buffer_free(&text);
}

static void run_commands(struct script *s, const struct wm_json *commands, wm_spec_report report, void *user)
{
  for (const struct wm_json *command = commands->child; command; command = command->next) {
    const char *type = wm_json_text(command, "type");
    s->why.length = 0;
    enum verdict verdict = type ? run_command(s, command, type) : fail(s, "a command without a type");
    count(s, verdict, command, type ? type : "?", report, user);
  }
}

bool wm_spec_run_script(const char *path, const struct wm_spec_options *options, struct wm_spec_counts *counts,
                        wm_spec_report report, void *user, struct wm_buffer *why)
{
  struct wm_file file;
  const char *error = "cannot be read", *slash = strrchr(path, '/');
  size_t offset = 0;
  if (wm_file_read(path, FILE_BYTES_MAX, &file) != 0 || file.is_too_large) {
    wm_buffer_text(why, error);
    return false;
  }
  const struct wm_json *root = wm_json_parse((const char *)file.bytes, file.length, &error, &offset);
  const struct wm_json *commands = wm_json_get(root, "commands");
  struct script *s = wm_allocate(1, sizeof *s);
  memset(s, 0, sizeof *s);
  bool is_script = commands && commands->kind == WM_JSON_ARRAY;
  if (!root)
    wm_buffer_format(why, "%s at byte %llu", error, (unsigned long long)offset);
  else if (!is_script)
    wm_buffer_text(why, "no test script: it has no array of commands");
  else if (!(is_script = wm_spec_world_open(&s->world, options)))
    wm_buffer_text(why, "the host has not enough memory");
  if (is_script) {
    s->counts = counts;
    s->path = path;
    s->folder_length = slash ? (size_t)(slash - path) + 1 : 0;
    run_commands(s, commands, report, user);
  }
  wm_spec_world_close(&s->world);
  wm_buffer_free(&s->why);
  free(s);
  wm_json_free(root);
  wm_file_free(&file);
  return is_script;
}
