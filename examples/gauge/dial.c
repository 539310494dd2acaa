// The dial: a plate deep in the case, seen through the hole in the bezel. A soft shade towards the wall, and an arc in red over
// the last quarter of the scale.
#include "canvas.h"

// Between the directions of 67.5 and 135 degrees clockwise from straight up, as seen from the dial's centre.
static v128_t in_red_sector(v128_t u, v128_t v) {
    v128_t past = wasm_f32x4_add(wasm_f32x4_mul(u, splat(0.382683f)), wasm_f32x4_mul(v, splat(0.923880f)));
    v128_t after_start = wasm_f32x4_gt(past, splat(0));
    v128_t before_end = wasm_f32x4_gt(wasm_f32x4_sub(u, v), splat(0));
    return wasm_v128_and(wasm_v128_and(after_start, before_end), splat(1));
}

void draw_dial(const struct scene *scene) {
    struct box box = box_around(scene, 0, 0, 0, HOLE_RADIUS, HOLE_RADIUS);
    struct colors middle = colors_of((struct color){246, 244, 236}, splat(scene->light));
    struct colors wall = colors_of((struct color){150, 148, 142}, splat(scene->light));
    struct colors red = colors_of((struct color){196, 46, 40}, splat(scene->light));
    for (int32_t y = box.top; y < box.bottom; y++) {
        v128_t hole_v = plane_v(scene, 0, y), v = plane_v(scene, DIAL_HEIGHT, y);
        for (int32_t x = box.left; x < box.right; x += 4) {
            v128_t alpha = inside(radius_of(plane_u(scene, 0, x), hole_v), HOLE_RADIUS);
            v128_t u = plane_u(scene, DIAL_HEIGHT, x);
            v128_t radius = radius_of(u, v);
            v128_t shade = clamp01(wasm_f32x4_mul(wasm_f32x4_sub(radius, splat(58)), splat(1 / 36.0f)));
            struct colors plate = mix(middle, wall, wasm_f32x4_mul(shade, shade));
            v128_t arc = wasm_f32x4_sub(inside(radius, 66), inside(radius, 60));
            blend(LAYER_DIAL, x, y, mix(plate, red, wasm_f32x4_mul(arc, in_red_sector(u, v))), alpha);
        }
    }
}
