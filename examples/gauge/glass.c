// The glass: only its reflection shows, a crescent between two circles that wanders with the tilt.
#include "canvas.h"

void draw_glass(const struct scene *scene) {
    struct box box = box_around(scene, GLASS_HEIGHT, 0, 0, HOLE_RADIUS, HOLE_RADIUS);
    struct colors white = colors_of((struct color){255, 255, 255}, splat(scene->light));
    float shift_u = 26 + 60 * scene->sin_x, shift_v = 34 + 60 * scene->sin_y;
    for (int32_t y = box.top; y < box.bottom; y++) {
        v128_t v = plane_v(scene, GLASS_HEIGHT, y);
        for (int32_t x = box.left; x < box.right; x += 4) {
            v128_t u = plane_u(scene, GLASS_HEIGHT, x);
            v128_t outer = inside(radius_of(u, v), BEZEL_INNER - 4);
            v128_t inner = inside(radius_of(wasm_f32x4_sub(u, splat(shift_u)), wasm_f32x4_sub(v, splat(shift_v))), 104);
            v128_t alpha = wasm_f32x4_mul(clamp01(wasm_f32x4_sub(outer, inner)), splat(0.24f));
            blend(LAYER_GLASS, x, y, white, alpha);
        }
    }
}
