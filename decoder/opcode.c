/* The rows of the opcode table and its indices by encoding, all made from opcodes.def. */
#include "decoder/opcode.h"

const struct wm_opcode wm_opcodes[WM_OP_COUNT] = {
#define WM_OP(NAME, prefix, code, text, immediates, signature, access, bytes)                                           \
  {text, signature, code, prefix, WM_IMM_##immediates, WM_ACCESS_##access, bytes},
#include "decoder/opcodes.def"
#undef WM_OP
};

/* One table for each prefix: an entry is written where the prefix is the table's own. */
#define ENTRY(NAME, code) [code] = WM_OP_##NAME + 1,
#define NO_ENTRY(NAME, code)
#define WM_OP(NAME, prefix, code, text, immediates, signature, access, bytes) IF_##prefix(NAME, code)

#define IF_0x00 ENTRY
#define IF_0xfb NO_ENTRY
#define IF_0xfc NO_ENTRY
#define IF_0xfd NO_ENTRY
const uint16_t wm_op_by_byte[256] = {
#include "decoder/opcodes.def"
};
#undef IF_0x00
#define IF_0x00 NO_ENTRY

#undef IF_0xfb
#define IF_0xfb ENTRY
const uint16_t wm_op_by_fb[WM_OP_FB_COUNT] = {
#include "decoder/opcodes.def"
};
#undef IF_0xfb
#define IF_0xfb NO_ENTRY

#undef IF_0xfc
#define IF_0xfc ENTRY
const uint16_t wm_op_by_fc[WM_OP_FC_COUNT] = {
#include "decoder/opcodes.def"
};
#undef IF_0xfc
#define IF_0xfc NO_ENTRY

#undef IF_0xfd
#define IF_0xfd ENTRY
const uint16_t wm_op_by_fd[WM_OP_FD_COUNT] = {
#include "decoder/opcodes.def"
};

enum wm_op wm_op_find(uint8_t prefix, uint32_t code)
{
  uint32_t entry = 0;
  if (prefix == 0 && code < 256)
    entry = wm_op_by_byte[code];
  else if (prefix == 0xfb && code < WM_OP_FB_COUNT)
    entry = wm_op_by_fb[code];
  else if (prefix == 0xfc && code < WM_OP_FC_COUNT)
    entry = wm_op_by_fc[code];
  else if (prefix == 0xfd && code < WM_OP_FD_COUNT)
    entry = wm_op_by_fd[code];
  return entry == 0 ? WM_OP_COUNT : (enum wm_op)(entry - 1);
}
