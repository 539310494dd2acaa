/* Scripts of frames: what a host does with an interactive component after its first render, one step a line.
 *
 *   uniform KEY=VALUE         of the open update, or of the next frame        at MS        opens an update
 *   key KEYSYM [FLAGS]        an event of it                                  finish       closes it
 *   pointer MASK X Y          an event of it                                  render       one frame
 *   warmup N                  N frames, and then everything counts from zero  frames N     N frames
 *
 * Only the words are checked here; whether the order is right is told when it is played (frames.h). Empty lines and lines that begin
 * with # are remarks. The script owns the file's bytes, which uniforms point into. */
#ifndef WM_CLI_FRAME_SCRIPT_H
#define WM_CLI_FRAME_SCRIPT_H

#include "cli/files.h"
#include "qip/uniforms.h"

enum wm_frame_step_kind {
  WM_STEP_UNIFORM, WM_STEP_AT, WM_STEP_KEY, WM_STEP_POINTER, WM_STEP_FINISH, WM_STEP_RENDER, WM_STEP_WARMUP, WM_STEP_FRAMES,
};

struct wm_frame_step {
  uint8_t kind;    /* enum wm_frame_step_kind */
  uint32_t line;   /* of the script; 0: an option of the command */
  struct wm_uniform uniform;
  uint64_t count;  /* WARMUP, FRAMES: at least 1 */
  int64_t time_ms; /* AT */
  uint32_t keysym, flags;
  uint32_t buttons;
  int32_t x, y;
};

struct wm_frame_script { /* starts zeroed */
  const char *path;      /* NULL: options only */
  struct wm_file file;
  struct wm_frame_step *steps;
  uint32_t count;
};

/* Appends the steps of a file. Tells the first line that is none, with its number; returns an exit status. */
int wm_frame_script_read(struct wm_frame_script *script, const char *path);
/* Appends `warmup N` or `frames N` of an option; nothing when `count` is 0. */
void wm_frame_script_add(struct wm_frame_script *script, enum wm_frame_step_kind kind, uint64_t count);
void wm_frame_script_free(struct wm_frame_script *script);

#endif
