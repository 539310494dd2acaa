// A gauge of six layers, seen face-on or tilted: what its parts share. gauge.c holds the state and the lifecycle and calls
// one function a layer; each layer has a file of its own, so that no pass is inlined into another and every
// one can be found by its name. canvas.h is how they all draw.
#ifndef GAUGE_GAUGE_H
#define GAUGE_GAUGE_H

#include "component.h"

// In painting order.
enum layer { LAYER_CASE_TOP, LAYER_BEZEL, LAYER_DIAL, LAYER_TICKS, LAYER_HAND, LAYER_GLASS, LAYER_COUNT };

enum { SIDE = 240, ROW_BYTES = 4 * SIDE, PIXEL_BYTES = SIDE * ROW_BYTES };

// How the gauge is seen. A point (u, v) at height h above the case's top lands on the screen at
// (u * cos_x + h * sin_x, v * cos_y + h * sin_y) from the centre.
struct scene {
    float sin_x, cos_x, sin_y, cos_y;
    float light;              // 1 by day, less by night
    float hand_sin, hand_cos; // clockwise from straight up
};

// Radii and heights in pixels at no tilt. Bezel and dial together hide the case's top up to BEZEL_OUTER, edges included:
// they overlap by HOLE - BEZEL_INNER.
#define CASE_RADIUS 112.0f
#define BEZEL_OUTER 107.0f
#define BEZEL_INNER 84.0f
#define HOLE_RADIUS 87.0f
#define DIAL_HEIGHT -14.0f
#define HAND_HEIGHT -6.0f
#define GLASS_HEIGHT 3.0f

extern uint8_t *const frame;         // RGBA, top row first
extern uint32_t blends[LAYER_COUNT]; // pixels blended since the instance was made

void draw_case_top(const struct scene *scene);
void draw_bezel(const struct scene *scene);
void draw_dial(const struct scene *scene);
void draw_ticks(const struct scene *scene);
void draw_hand(const struct scene *scene);
void draw_glass(const struct scene *scene);

// trigonometry.c: for angles from -pi to pi.
float sine(float angle);
float cosine(float angle);

#endif
