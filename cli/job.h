/* What a command line asks to be run: components, their uniforms and sinks, the input, and the limits.
 *
 * Two spellings of one thing: `COMPONENT… -i FILE -u key=value` and, without a component, the multipart request to the tool itself
 * (`-F component=@X -F input=… -F 'uniforms[key]=value'`), which is built as bytes and parsed again so that it means exactly what
 * the wasm component would take it for. A job owns the bytes it has read until wm_job_free. */
#ifndef WM_CLI_JOB_H
#define WM_CLI_JOB_H

#include "cli/args.h"
#include "cli/files.h"
#include "decoder/limits.h"
#include "qip/multipart.h"

#define WM_DEFAULT_BUDGET UINT64_C(1000000000)

struct wm_job_stage {
  const char *path;              /* for messages */
  const uint8_t *bytes;          /* of the module */
  size_t length;
  struct wm_file file;           /* owner of bytes, unless a request holds them */
  struct wm_uniform *uniforms;   /* sorted */
  uint32_t uniform_count;
  const char **sinks;            /* --sink texts */
  uint32_t sink_count;
  const char *symbols;           /* --symbols, or NULL */
};

struct wm_job {
  struct wm_job_stage *stages;
  uint32_t stage_count;
  struct wm_limits limits;
  uint64_t budget;
  uint32_t stream;               /* enum wm_stream */
  const uint8_t *input;          /* after wm_job_input */
  uint64_t input_length;
  const char *input_path;        /* -i, or NULL */
  bool is_request;
  struct wm_file input_file;
  struct wm_buffer request;      /* multipart bytes: the tool's request or the component's input */
  struct wm_request *parsed;
};

/* Limits as the options set them, over the native defaults. */
struct wm_limits wm_job_limits(const struct wm_args *args);
/* Reads components (at most `most`) and -F parts. Tells failures; returns an exit status. The job wants freeing in any case. */
int wm_job_open(struct wm_job *job, const struct wm_args *args, uint32_t most);
/* Reads the input named by -i: at most `capacity` bytes, or the memory limit when the capacity is not known yet (UINT64_MAX).
 * An input beyond it is refused here, in the contract's words (`path` names the component). */
int wm_job_input(struct wm_job *job, uint64_t capacity, const char *path);
void wm_job_free(struct wm_job *job);

#endif
