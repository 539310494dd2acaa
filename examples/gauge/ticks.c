// The scale: 41 marks over 270 degrees, every fifth longer and thicker.
#include "canvas.h"

enum { MARKS = 41, LONG_EVERY = 5 };

void draw_ticks(const struct scene *scene) {
    static const struct color ink = {34, 34, 38};
    for (int32_t i = 0; i < MARKS; i++) {
        float angle = (float)(i - MARKS / 2) * (2.356194490f / (MARKS / 2));
        float u = sine(angle), v = -cosine(angle);
        bool is_long = i % LONG_EVERY == 0;
        float inner = is_long ? 66.0f : 70.0f;
        draw_segment(scene, LAYER_TICKS, DIAL_HEIGHT, u * inner, v * inner, u * 76, v * 76, is_long ? 1.3f : 0.6f, ink);
    }
}
