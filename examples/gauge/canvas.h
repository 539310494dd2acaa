// Drawing four pixels at a time with 128-bit vectors: positions on a tilted plane, edges, and the innermost blend.
// Blending is out = source * alpha + below * (1 - alpha), so that an opaque pixel does not depend on what lay below
// it; a group of four that nothing covers is neither read nor written.
#ifndef GAUGE_CANVAS_H
#define GAUGE_CANVAS_H

#include <wasm_simd128.h>

#include "gauge.h"

struct color {
    float red, green, blue; // 0 to 255
};

struct colors {
    v128_t red, green, blue;
};

// Whole groups of four pixels: x is a multiple of four.
struct box {
    int32_t left, top, right, bottom;
};

static inline v128_t splat(float value) {
    return wasm_f32x4_splat(value);
}

static inline v128_t clamp01(v128_t x) {
    return wasm_f32x4_pmin(wasm_f32x4_pmax(x, splat(0)), splat(1));
}

static inline v128_t lerp(v128_t from, v128_t to, v128_t share) {
    return wasm_f32x4_add(from, wasm_f32x4_mul(wasm_f32x4_sub(to, from), share));
}

static inline struct colors colors_of(struct color color, v128_t light) {
    return (struct colors){
        wasm_f32x4_mul(splat(color.red), light), wasm_f32x4_mul(splat(color.green), light), wasm_f32x4_mul(splat(color.blue), light),
    };
}

static inline struct colors mix(struct colors from, struct colors to, v128_t share) {
    return (struct colors){lerp(from.red, to.red, share), lerp(from.green, to.green, share), lerp(from.blue, to.blue, share)};
}

// The plane coordinates of four pixels from (x, y) on.
static inline v128_t plane_u(const struct scene *scene, float height, int32_t x) {
    v128_t screen = wasm_f32x4_add(splat((float)x - SIDE / 2 + 0.5f), wasm_f32x4_make(0, 1, 2, 3));
    return wasm_f32x4_div(wasm_f32x4_sub(screen, splat(height * scene->sin_x)), splat(scene->cos_x));
}

static inline v128_t plane_v(const struct scene *scene, float height, int32_t y) {
    return splat(((float)y - SIDE / 2 + 0.5f - height * scene->sin_y) / scene->cos_y);
}

static inline v128_t radius_of(v128_t u, v128_t v) {
    return wasm_f32x4_sqrt(wasm_f32x4_add(wasm_f32x4_mul(u, u), wasm_f32x4_mul(v, v)));
}

// 1 inside the radius, 0 outside, and a slope one pixel wide between.
static inline v128_t inside(v128_t radius, float edge) {
    return clamp01(wasm_f32x4_sub(splat(edge + 0.5f), radius));
}

static inline int32_t clamp_pixel(float at) {
    return at < 0 ? 0 : at > SIDE ? SIDE : (int32_t)at;
}

// The pixels that may lie within `reach` of the plane point (u, v), the edges' slope included.
static inline struct box box_around(
    const struct scene *scene, float height, float u, float v, float reach_u, float reach_v) {
    float x = SIDE / 2 + u * scene->cos_x + height * scene->sin_x;
    float y = SIDE / 2 + v * scene->cos_y + height * scene->sin_y;
    float half_x = reach_u * scene->cos_x + 2, half_y = reach_v * scene->cos_y + 2;
    return (struct box){
        clamp_pixel(x - half_x) & ~3, clamp_pixel(y - half_y), (clamp_pixel(x + half_x) + 3) & ~3, clamp_pixel(y + half_y),
    };
}

static inline v128_t channel(v128_t pixels, uint32_t shift) {
    return wasm_f32x4_convert_i32x4(wasm_v128_and(wasm_u32x4_shr(pixels, shift), wasm_i32x4_splat(255)));
}

static inline v128_t blend_channel(v128_t below, v128_t source, v128_t alpha, v128_t rest, uint32_t shift) {
    v128_t sum = wasm_f32x4_add(wasm_f32x4_mul(source, alpha), wasm_f32x4_mul(channel(below, shift), rest));
    return wasm_i32x4_shl(wasm_u32x4_trunc_sat_f32x4(wasm_f32x4_add(sum, splat(0.5f))), shift);
}

// The innermost step: four pixels from (x, y) on, counted for the layer where alpha is above 0.
static inline void blend(enum layer layer, int32_t x, int32_t y, struct colors source, v128_t alpha) {
    uint32_t covered = wasm_i32x4_bitmask(wasm_f32x4_gt(alpha, splat(0)));
    if (!covered) return;
    blends[layer] += (uint32_t)__builtin_popcount(covered);
    uint8_t *at = frame + y * ROW_BYTES + x * 4;
    v128_t below = wasm_v128_load(at), rest = wasm_f32x4_sub(splat(1), alpha);
    v128_t out = wasm_i32x4_splat((int32_t)0xff000000);
    out = wasm_v128_or(out, blend_channel(below, source.red, alpha, rest, 0));
    out = wasm_v128_or(out, blend_channel(below, source.green, alpha, rest, 8));
    out = wasm_v128_or(out, blend_channel(below, source.blue, alpha, rest, 16));
    wasm_v128_store(at, out);
}

// A segment from (u0, v0) to (u1, v1) on a plane, `half` pixels to each side of it, with round ends.
static inline void draw_segment(
    const struct scene *scene, enum layer layer, float height, float u0, float v0, float u1, float v1, float half,
    struct color color) {
    float du = u1 - u0, dv = v1 - v0, length2 = du * du + dv * dv;
    float reach_u = (du < 0 ? -du : du) / 2 + half, reach_v = (dv < 0 ? -dv : dv) / 2 + half;
    struct box box = box_around(scene, height, (u0 + u1) / 2, (v0 + v1) / 2, reach_u, reach_v);
    struct colors source = colors_of(color, splat(scene->light));
    for (int32_t y = box.top; y < box.bottom; y++) {
        v128_t v = wasm_f32x4_sub(plane_v(scene, height, y), splat(v0));
        for (int32_t x = box.left; x < box.right; x += 4) {
            v128_t u = wasm_f32x4_sub(plane_u(scene, height, x), splat(u0));
            v128_t along = wasm_f32x4_add(wasm_f32x4_mul(u, splat(du)), wasm_f32x4_mul(v, splat(dv)));
            v128_t share = clamp01(wasm_f32x4_div(along, splat(length2)));
            v128_t across_u = wasm_f32x4_sub(u, wasm_f32x4_mul(share, splat(du)));
            v128_t across_v = wasm_f32x4_sub(v, wasm_f32x4_mul(share, splat(dv)));
            blend(layer, x, y, source, inside(radius_of(across_u, across_v), half));
        }
    }
}

#endif
