// Sine and cosine by polynomial, the same on every engine: only additions and multiplications.
#include "gauge.h"

#define PI 3.14159265358979323846

// Taylor's series around 0 up to the 13th power: within one unit in the last place of a float up to pi / 2.
static double sine_of_quarter(double x) {
    double x2 = x * x;
    return x * (1 - x2 / 6 * (1 - x2 / 20 * (1 - x2 / 42 * (1 - x2 / 72 * (1 - x2 / 110 * (1 - x2 / 156))))));
}

float sine(float angle) {
    double x = angle;
    if (x > PI / 2) x = PI - x;
    if (x < -PI / 2) x = -PI - x;
    return (float)sine_of_quarter(x);
}

float cosine(float angle) {
    double x = angle < 0 ? -(double)angle : angle;
    return (float)sine_of_quarter(PI / 2 - x);
}
