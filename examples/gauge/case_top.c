// The case's top, drawn in full although bezel and dial will hide all of it but the rim: the waste that this example is there
// to show. case_top_rim.c is the same layer without it.
#include "case_top_shading.h"

void draw_case_top(const struct scene *scene) {
    struct box box = box_around(scene, 0, 0, 0, CASE_RADIUS, CASE_RADIUS);
    for (int32_t y = box.top; y < box.bottom; y++) {
        v128_t v = plane_v(scene, 0, y);
        for (int32_t x = box.left; x < box.right; x += 4) {
            v128_t u = plane_u(scene, 0, x);
            shade_case_top(scene, x, y, u, v, radius_of(u, v));
        }
    }
}
