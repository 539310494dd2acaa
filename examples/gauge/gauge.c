// gauge: an interactive component, a pressure gauge that can be tilted. Its state, the lifecycle, and the frame as a KTX2 image.
//
// State: the hand moves at a constant speed towards its target, as a function of time alone, so that it does not matter how
// often the host updates; the tilt follows the pointer while the primary button is down. Face-on the first four
// layers never change: their pixels are kept and a frame only copies them, then draws hand and glass.
// Keys: right/up and left/down move the target, escape turns the gauge face-on.
// Uniforms: reading (of an update, or before the first render), night (of a presentation).
#include "gauge.h"
#include "layer_timer.h"

enum {
    HEADER_BYTES = 224, OUTPUT_CAP = HEADER_BYTES + PIXEL_BYTES,
    READING_MAX = 1000,        // tenths of a per cent of the scale
    UNITS_PER_READING = 1000,  // the hand's position is kept finer than a reading
    UNITS_PER_MS = 500,        // its speed: half a reading a millisecond, 2 s over the whole scale
    FRAME_MS = 16, KEY_STEP = 50,
    TILT_MAX = 120,            // in steps of TILT_STEP
    NO_READING = -1,
};
#define TILT_STEP 0.005f
#define SCALE_HALF 2.356194490f

// KTX2: header, level index, data format descriptor (RGBA, sRGB, BT.709), orientation right and down. All of it is constant.
static const uint8_t header[HEADER_BYTES] = {
    0xab, 'K', 'T', 'X', ' ', '2', '0', 0xbb, '\r', '\n', 0x1a, '\n',
    [12] = 43, [16] = 1, [20] = SIDE, [24] = SIDE, [36] = 1, [40] = 1,
    [48] = 104, [52] = 92, [56] = 196, [60] = 24,
    [80] = HEADER_BYTES, [88] = PIXEL_BYTES & 255, PIXEL_BYTES >> 8 & 255, PIXEL_BYTES >> 16,
    [96] = PIXEL_BYTES & 255, PIXEL_BYTES >> 8 & 255, PIXEL_BYTES >> 16,
    [104] = 92, [112] = 2, [114] = 88, [116] = 1, 1, 2, [124] = 4,
    [134] = 7, [144] = 255,
    [148] = 8, [150] = 7, 1, [160] = 255,
    [164] = 16, [166] = 7, 2, [176] = 255,
    [180] = 24, [182] = 7, 31, [192] = 255,
    [196] = 18, [200] = 'K', 'T', 'X', 'o', 'r', 'i', 'e', 'n', 't', 'a', 't', 'i', 'o', 'n', 0, 'r', 'd',
};

static uint8_t output[OUTPUT_CAP] __attribute__((aligned(16)));
uint8_t *const frame = output + HEADER_BYTES;
uint32_t blends[LAYER_COUNT];

static uint8_t face_on[PIXEL_BYTES] __attribute__((aligned(16)));
static bool face_on_kept, face_on_night;

static struct {
    bool started, updating, had_event, dragging, night;
    int64_t now, moved_at; // the hand left `from` at moved_at
    int64_t from, target;
    int32_t reading;       // of this update
    int32_t tilt_x, tilt_y, drag_x, drag_y;
} state = {.reading = NO_READING};

GETTER(output_bytes_cap, OUTPUT_CAP)
CONTENT_TYPE(output, "image/ktx2;vkFormat=43;colorPrimaries=1;transferFunction=2")

// Pixels blended by each layer since the instance was made.
EXPORT("blends_case_top") uint32_t blends_case_top(void) { return blends[LAYER_CASE_TOP]; }
EXPORT("blends_bezel") uint32_t blends_bezel(void) { return blends[LAYER_BEZEL]; }
EXPORT("blends_dial") uint32_t blends_dial(void) { return blends[LAYER_DIAL]; }
EXPORT("blends_ticks") uint32_t blends_ticks(void) { return blends[LAYER_TICKS]; }
EXPORT("blends_hand") uint32_t blends_hand(void) { return blends[LAYER_HAND]; }
EXPORT("blends_glass") uint32_t blends_glass(void) { return blends[LAYER_GLASS]; }

static int32_t clamp(int32_t value, int32_t low, int32_t high) {
    return value < low ? low : value > high ? high : value;
}

static int64_t hand_at(int64_t time) {
    int64_t way = state.target - state.from, gone = (time - state.moved_at) * UNITS_PER_MS;
    if (way < 0) return -way <= gone ? state.target : state.from - gone;
    return way <= gone ? state.target : state.from + gone;
}

static bool move_to(int32_t reading) {
    int64_t target = (int64_t)clamp(reading, 0, READING_MAX) * UNITS_PER_READING;
    if (target == state.target) return false;
    state.from = hand_at(state.now);
    state.moved_at = state.now;
    state.target = target;
    return true;
}

// An event ends the time for uniforms: they take effect before it.
static void begin_event(void) {
    require(state.updating);
    if (!state.had_event && state.reading != NO_READING) move_to(state.reading);
    state.had_event = true;
}

EXPORT("uniform_set_reading") uint32_t set_reading(uint32_t reading) {
    require(state.updating ? !state.had_event : !state.started);
    return (uint32_t)(state.reading = reading > READING_MAX ? READING_MAX : (int32_t)reading);
}

EXPORT("uniform_set_night") uint32_t set_night(uint32_t night) {
    require(!state.had_event);
    state.night = night != 0;
    return state.night;
}

EXPORT("begin_update_at") void begin_update_at(int64_t now) {
    require(state.started && !state.updating && now > state.now);
    state.updating = true;
    state.now = now;
}

EXPORT("finish_update") int64_t finish_update(void) {
    begin_event();
    state.updating = state.had_event = false;
    state.reading = NO_READING;
    return hand_at(state.now) == state.target ? state.now : state.now + FRAME_MS;
}

EXPORT("key_event") int32_t key_event(uint32_t keysym, uint32_t flags) {
    begin_event();
    if (!(flags & 1)) return 0;
    int32_t target = (int32_t)(state.target / UNITS_PER_READING);
    switch (keysym) {
    case 0xff52: case 0xff53: return move_to(target + KEY_STEP);
    case 0xff51: case 0xff54: return move_to(target - KEY_STEP);
    case 0xff1b: break;
    default: return 0;
    }
    if (!state.tilt_x && !state.tilt_y) return 0;
    state.tilt_x = state.tilt_y = 0;
    return 1;
}

EXPORT("pointer_event") int32_t pointer_event(uint32_t buttons, int32_t x, int32_t y) {
    begin_event();
    bool down = buttons & 1, was_dragging = state.dragging;
    int32_t tilt_x = state.tilt_x, tilt_y = state.tilt_y;
    if (down && was_dragging) {
        state.tilt_x = clamp(tilt_x + clamp(x, -SIDE, 2 * SIDE) - state.drag_x, -TILT_MAX, TILT_MAX);
        state.tilt_y = clamp(tilt_y + clamp(y, -SIDE, 2 * SIDE) - state.drag_y, -TILT_MAX, TILT_MAX);
    }
    state.dragging = down;
    state.drag_x = clamp(x, -SIDE, 2 * SIDE);
    state.drag_y = clamp(y, -SIDE, 2 * SIDE);
    return state.tilt_x != tilt_x || state.tilt_y != tilt_y;
}

static struct scene make_scene(void) {
    float tilt_x = (float)state.tilt_x * TILT_STEP, tilt_y = (float)state.tilt_y * TILT_STEP;
    float share = (float)hand_at(state.now) / (READING_MAX * UNITS_PER_READING);
    float hand = (2 * share - 1) * SCALE_HALF;
    return (struct scene){
        .sin_x = sine(tilt_x), .cos_x = cosine(tilt_x), .sin_y = sine(tilt_y), .cos_y = cosine(tilt_y),
        .light = state.night ? 0.45f : 1, .hand_sin = sine(hand), .hand_cos = cosine(hand),
    };
}

static void clear(void) {
    uint32_t background = state.night ? 0xff0a0808 : 0xff241c18;
    for (uint32_t i = 0; i < PIXEL_BYTES; i += 4) __builtin_memcpy(frame + i, &background, 4);
}

static void draw_still_layers(const struct scene *scene) {
    clear();
    double start = layer_timer_begin();
    draw_case_top(scene);
    layer_timer_end(LAYER_CASE_TOP, start);
    start = layer_timer_begin();
    draw_bezel(scene);
    layer_timer_end(LAYER_BEZEL, start);
    start = layer_timer_begin();
    draw_dial(scene);
    layer_timer_end(LAYER_DIAL, start);
    start = layer_timer_begin();
    draw_ticks(scene);
    layer_timer_end(LAYER_TICKS, start);
}

EXPORT("render") uint64_t render(uint32_t size) {
    require(size == 0 && !state.updating);
    if (!state.started && state.reading != NO_READING) {
        state.from = state.target = (int64_t)state.reading * UNITS_PER_READING;
        state.reading = NO_READING;
    }
    state.started = true;
    __builtin_memcpy(output, header, HEADER_BYTES);
    struct scene scene = make_scene();
    bool is_face_on = !state.tilt_x && !state.tilt_y;
    if (is_face_on && face_on_kept && face_on_night == state.night) {
        __builtin_memcpy(frame, face_on, PIXEL_BYTES);
    } else {
        draw_still_layers(&scene);
        if (is_face_on) __builtin_memcpy(face_on, frame, PIXEL_BYTES);
        face_on_kept = face_on_kept || is_face_on;
        if (is_face_on) face_on_night = state.night;
    }
    double start = layer_timer_begin();
    draw_hand(&scene);
    layer_timer_end(LAYER_HAND, start);
    start = layer_timer_begin();
    draw_glass(&scene);
    layer_timer_end(LAYER_GLASS, start);
    state.night = false;
    return rendered(output, OUTPUT_CAP);
}
