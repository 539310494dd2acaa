// The case's top where it can be seen: outside the bezel, the bezel's edge included. A group of four pixels that lies
// inside altogether is skipped before it is shaded.
#include "case_top_shading.h"

// From here inwards bezel and dial are opaque.
#define HIDDEN_RADIUS (BEZEL_OUTER - 1)

// How far the hidden disc reaches from the middle of a row, in plane units; less than 0 above and below it.
static float hidden_reach(v128_t v) {
    float height = wasm_f32x4_extract_lane(v, 0);
    float rest = HIDDEN_RADIUS * HIDDEN_RADIUS - height * height;
    return rest > 0 ? __builtin_sqrtf(rest) : -1;
}

void draw_case_top(const struct scene *scene) {
    struct box box = box_around(scene, 0, 0, 0, CASE_RADIUS, CASE_RADIUS);
    for (int32_t y = box.top; y < box.bottom; y++) {
        v128_t v = plane_v(scene, 0, y);
        float reach = hidden_reach(v) * scene->cos_x;
        int32_t hidden_left = SIDE, hidden_right = SIDE;
        if (reach > 4) {
            hidden_left = (int32_t)(SIDE / 2 - reach + 4) & ~3;
            hidden_right = (int32_t)(SIDE / 2 + reach) & ~3;
        }
        for (int32_t x = box.left; x < box.right; x += 4) {
            if (x == hidden_left && hidden_right > hidden_left) x = hidden_right;
            v128_t u = plane_u(scene, 0, x);
            shade_case_top(scene, x, y, u, v, radius_of(u, v));
        }
    }
}
