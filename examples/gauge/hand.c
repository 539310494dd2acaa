// The hand: its shadow on the dial, a pointer with a counterweight, and the hub.
#include "canvas.h"

void draw_hand(const struct scene *scene) {
    static const struct color steel = {44, 52, 66}, signal = {206, 60, 34}, shadow = {176, 172, 162};
    float u = scene->hand_sin, v = -scene->hand_cos;
    draw_segment(scene, LAYER_HAND, DIAL_HEIGHT, u * -16 + 2, v * -16 + 3, u * 56 + 2, v * 56 + 3, 1.6f, shadow);
    draw_segment(scene, LAYER_HAND, HAND_HEIGHT, u * -18, v * -18, u * -9, v * -9, 4, steel);
    draw_segment(scene, LAYER_HAND, HAND_HEIGHT, u * -9, v * -9, u * 42, v * 42, 1.8f, steel);
    draw_segment(scene, LAYER_HAND, HAND_HEIGHT, u * 42, v * 42, u * 64, v * 64, 1.2f, signal);
    draw_segment(scene, LAYER_HAND, HAND_HEIGHT + 2, -0.5f, 0, 0.5f, 0, 7, steel);
    draw_segment(scene, LAYER_HAND, HAND_HEIGHT + 4, -0.5f, 0, 0.5f, 0, 2.5f, (struct color){188, 192, 198});
}
