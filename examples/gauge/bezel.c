// The bezel: a polished ring with a bright edge towards the light, opaque over the case's top.
#include "canvas.h"

void draw_bezel(const struct scene *scene) {
    struct box box = box_around(scene, 0, 0, 0, BEZEL_OUTER, BEZEL_OUTER);
    struct colors dark = colors_of((struct color){38, 42, 50}, splat(scene->light));
    struct colors bright = colors_of((struct color){214, 222, 232}, splat(scene->light));
    v128_t width = splat(BEZEL_OUTER - BEZEL_INNER);
    for (int32_t y = box.top; y < box.bottom; y++) {
        v128_t v = plane_v(scene, 0, y);
        for (int32_t x = box.left; x < box.right; x += 4) {
            v128_t u = plane_u(scene, 0, x);
            v128_t radius = radius_of(u, v);
            v128_t alpha = wasm_f32x4_sub(inside(radius, BEZEL_OUTER), inside(radius, BEZEL_INNER));
            v128_t across = wasm_f32x4_div(wasm_f32x4_sub(radius, splat(BEZEL_INNER)), width);
            v128_t facing = wasm_f32x4_div(wasm_f32x4_add(u, v), wasm_f32x4_mul(radius, splat(-1.5f)));
            // The outer half slopes one way, the inner half the other.
            v128_t slope = wasm_f32x4_mul(facing, wasm_f32x4_sub(wasm_f32x4_add(across, across), splat(1)));
            v128_t share = clamp01(wasm_f32x4_add(splat(0.3f), wasm_f32x4_mul(slope, splat(0.7f))));
            blend(LAYER_BEZEL, x, y, mix(dark, bright, share), alpha);
        }
    }
}
