/* Instructions on references, tables and objects, as functions that the fast stream's F_CHECKED calls (lower_fast_reference.c makes the
 * entries): each reads one thing or writes it, or traps. None of them allocates, moves objects or tells an event.
 *
 * Entries: d, a, b slots; the third word: slot of the third operand, flags of the field (WM_STEP), and the field's first word; the
 * fourth: the table, or the type of a test. */
#include "interp/aggregate.h"
#include "interp/fast.h"
#include "interp/frame.h"
#include "interp/heap.h"

#define FUNCTION(NAME) static enum wm_trap check_##NAME(struct wm_run *run, uint64_t *slots, const union wm_word *entry)
#define A slots[entry->a]
#define B slots[entry->b]
#define RESULT slots[entry->d]
#define FLAGS entry[2].parts[1]
#define TRAP_IF(condition, code) \
  do { \
    if (__builtin_expect((condition), 0)) \
      return (code); \
  } while (0)
#define DONE(...) \
  do { \
    (void)run; \
    __VA_ARGS__; \
    return WM_TRAP_NONE; \
  } while (0)

/* ---- Tables, references ---- */
FUNCTION(TABLE_GET)
{
  TRAP_IF(A >= entry[3].table->length, WM_TRAP_OUT_OF_BOUNDS_TABLE);
  DONE(RESULT = entry[3].table->refs[A]);
}
FUNCTION(TABLE_SET)
{
  TRAP_IF(A >= entry[3].table->length, WM_TRAP_OUT_OF_BOUNDS_TABLE);
  DONE(entry[3].table->refs[A] = B);
}
FUNCTION(TABLE_SIZE) { DONE(RESULT = entry[3].table->length); }
FUNCTION(REF_AS_NON_NULL)
{
  TRAP_IF(A == 0, WM_TRAP_NULL_REFERENCE);
  DONE(RESULT = A);
}
FUNCTION(REF_TEST) { DONE(RESULT = wm_ref_is(run->store, A, (wm_valtype)entry[3].bits)); }
FUNCTION(REF_CAST)
{
  TRAP_IF(!wm_ref_is(run->store, A, (wm_valtype)entry[3].bits), WM_TRAP_CAST_FAILURE);
  DONE(RESULT = A);
}
FUNCTION(REF_I31) { DONE(RESULT = wm_ref_i31((uint32_t)A)); }
FUNCTION(I31_GET_S)
{
  TRAP_IF(A == 0, WM_TRAP_NULL_I31);
  DONE(RESULT = (uint32_t)((int32_t)((uint32_t)(A >> 2) << 1) >> 1));
}
FUNCTION(I31_GET_U)
{
  TRAP_IF(A == 0, WM_TRAP_NULL_I31);
  DONE(RESULT = A >> 2);
}

/* ---- Objects: a field or element is a word, of a v128 two ---- */
static void get_words(uint64_t *slots, const union wm_word *entry, const uint64_t *from)
{
  uint64_t low = from[0];
  if ((FLAGS & WM_STEP_WIDE) != 0)
    slots[entry->d + 1] = from[1];
  RESULT = low;
}
static void set_words(const uint64_t *slots, const union wm_word *entry, uint64_t *to, uint32_t value)
{
  to[0] = slots[value];
  if ((FLAGS & WM_STEP_WIDE) != 0)
    to[1] = slots[value + 1];
}
static uint32_t signed_field(const union wm_word *entry, uint64_t bits)
{
  return (FLAGS & WM_STEP_PACK8) != 0 ? (uint32_t)(int8_t)bits : (uint32_t)(int16_t)bits;
}
static uint32_t unsigned_field(const union wm_word *entry, uint64_t bits)
{
  return (FLAGS & WM_STEP_PACK8) != 0 ? (uint8_t)bits : (uint16_t)bits;
}

#define FIELD() (wm_heap_words(&run->store->heap, A) + entry[2].high)
#define STRUCTURE(NAME, ...) \
  FUNCTION(NAME) \
  { \
    TRAP_IF(A == 0, WM_TRAP_NULL_STRUCTURE); \
    DONE(__VA_ARGS__); \
  }
STRUCTURE(STRUCT_GET, get_words(slots, entry, FIELD()))
STRUCTURE(STRUCT_GET_S, RESULT = signed_field(entry, *FIELD()))
STRUCTURE(STRUCT_GET_U, RESULT = unsigned_field(entry, *FIELD()))
STRUCTURE(STRUCT_SET, set_words(slots, entry, FIELD(), entry->b))

#define LENGTH() (wm_heap_object(&run->store->heap, A)->length)
#define ELEMENT() (wm_heap_words(&run->store->heap, A) + (B << ((FLAGS & WM_STEP_WIDE) != 0)))
#define ARRAY(NAME, ...) \
  FUNCTION(NAME) \
  { \
    TRAP_IF(A == 0, WM_TRAP_NULL_ARRAY); \
    TRAP_IF(B >= LENGTH(), WM_TRAP_OUT_OF_BOUNDS_ARRAY); \
    DONE(__VA_ARGS__); \
  }
ARRAY(ARRAY_GET, get_words(slots, entry, ELEMENT()))
ARRAY(ARRAY_GET_S, RESULT = signed_field(entry, *ELEMENT()))
ARRAY(ARRAY_GET_U, RESULT = unsigned_field(entry, *ELEMENT()))
ARRAY(ARRAY_SET, set_words(slots, entry, ELEMENT(), entry[2].parts[0]))
FUNCTION(ARRAY_LEN)
{
  TRAP_IF(A == 0, WM_TRAP_NULL_ARRAY);
  DONE(RESULT = LENGTH());
}

#define ROW(NAME) [WM_OP_##NAME] = check_##NAME,
wm_checked_function *const wm_checked_functions[WM_OP_COUNT] = {
  ROW(TABLE_GET) ROW(TABLE_SET) ROW(TABLE_SIZE) ROW(REF_AS_NON_NULL) ROW(REF_TEST) ROW(REF_CAST) ROW(REF_I31) ROW(I31_GET_S) ROW(I31_GET_U)
  [WM_OP_REF_TEST_NULL] = check_REF_TEST, [WM_OP_REF_CAST_NULL] = check_REF_CAST,
  ROW(STRUCT_GET) ROW(STRUCT_GET_S) ROW(STRUCT_GET_U) ROW(STRUCT_SET)
  ROW(ARRAY_GET) ROW(ARRAY_GET_S) ROW(ARRAY_GET_U) ROW(ARRAY_SET) ROW(ARRAY_LEN)
};
