// How the top of the case is shaded: brushed metal in light from the upper left. Shared by the two builds of the
// layer, so that they cannot differ in anything but which pixels they draw.
#ifndef GAUGE_CASE_TOP_SHADING_H
#define GAUGE_CASE_TOP_SHADING_H

#include "canvas.h"

static inline void shade_case_top(const struct scene *scene, int32_t x, int32_t y, v128_t u, v128_t v, v128_t radius) {
    v128_t slope = wasm_f32x4_div(wasm_f32x4_add(u, v), wasm_f32x4_add(radius, splat(1)));
    v128_t grain = wasm_f32x4_sub(radius, wasm_f32x4_floor(radius));
    v128_t light = wasm_f32x4_sub(splat(0.78f), wasm_f32x4_mul(slope, splat(0.14f)));
    light = wasm_f32x4_add(light, wasm_f32x4_mul(grain, splat(0.05f)));
    struct colors metal = colors_of((struct color){176, 182, 190}, wasm_f32x4_mul(light, splat(scene->light)));
    blend(LAYER_CASE_TOP, x, y, metal, inside(radius, CASE_RADIUS));
}

#endif
