// Axes: where round numbers lie, and how they are written.
#include "plot/plot.h"

#include <math.h>
#include <string.h>

// 1, 2, 2.5 or 5 times a power of ten, not below `rough`.
static double round_step(double rough, bool whole)
{
    static const double steps[] = {1, 2, 2.5, 5, 10};
    const double power = pow(10, floor(log10(rough)));
    double step = 10 * power;
    for (int i = 4; i >= 0; i--)
        if (steps[i] * power >= rough * (1 - 1e-9))
            step = steps[i] * power;
    if (whole && step < 1)
        return 1;
    return whole && step > 2 && step < 3 ? 5 : step;
}

const char *nc_power_text(int exponent, char *out, size_t out_size)
{
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char plain[16];
    snprintf(plain, sizeof plain, "%d", exponent);
    snprintf(out, out_size, "10");
    for (const char *c = plain; *c != '\0'; c++) {
        const size_t used = strlen(out);
        snprintf(out + used, out_size - used, "%s", *c == '-' ? "⁻" : digits[*c - '0']);
    }
    return out;
}

// Digits after the point that tell multiples of `step` apart.
static int decimals_of(double step)
{
    int decimals = 0;
    while (decimals < 9 && fabs(step - floor(step + 0.5)) > 1e-6 * step) {
        step *= 10;
        decimals++;
    }
    return decimals;
}

// Large and small numbers share a power of a thousand, named once beside the axis.
static int exponent_of(double largest)
{
    if (largest >= 1e-2 && largest < 1e5)
        return 0;
    return 3 * (int)floor(log10(largest) / 3);
}

nc_plot_axis nc_plot_axis_linear(double low, double high, int wanted, bool whole)
{
    nc_plot_axis axis = {0};
    const double size = fmax(fabs(low), fabs(high));
    if (!(high - low > 1e-9 * size) || !(high - low > 1e-300)) { // one value, or rounding of one
        const double middle = 0.5 * (low + high), room = size > 0 ? 0.1 * size : 1;
        low = whole && middle >= 0 ? 0 : middle - room;
        high = middle + room;
    }
    const double step = round_step((high - low) / wanted, whole);
    const double first = floor(low / step + 1e-9), last = ceil(high / step - 1e-9);
    axis.low = first * step;
    axis.high = last * step;
    axis.exponent = exponent_of(fmax(fabs(axis.low), fabs(axis.high)));
    const double unit = pow(10, axis.exponent);
    for (int i = 0; i <= (int)(last - first) && axis.count < NC_TICKS_MAX; i++) {
        const double value = (first + i) * step + 0.0; // no negative zero
        axis.ticks[axis.count] = value;
        snprintf(axis.labels[axis.count++], sizeof axis.labels[0], "%s%.*f", value < 0 ? "−" : "",
                 decimals_of(step / unit), fabs(value) / unit);
    }
    return axis;
}

static void add_power(nc_plot_axis *axis, int digit, int exponent)
{
    if (axis->count >= NC_TICKS_MAX)
        return;
    char *label = axis->labels[axis->count];
    axis->ticks[axis->count] = digit * pow(10, exponent);
    if (digit == 1)
        nc_power_text(exponent, label, sizeof axis->labels[0]);
    else if (exponent >= -2 && exponent <= 3)
        snprintf(label, sizeof axis->labels[0], "%g", axis->ticks[axis->count]);
    else
        snprintf(label, sizeof axis->labels[0], "%d·", digit), nc_power_text(exponent, label + strlen(label), 20);
    axis->count++;
}

nc_plot_axis nc_plot_axis_log(double low, double high)
{
    nc_plot_axis axis = {.log = true};
    int first = (int)floor(log10(low) + 1e-9), last = (int)ceil(log10(high) - 1e-9);
    if (last <= first)
        last = first + 1;
    const int stride = (last - first + 5) / 6;
    while ((last - first) % stride != 0)
        last++;
    axis.low = pow(10, first);
    axis.high = pow(10, last);
    for (int e = first; e <= last; e += stride) {
        add_power(&axis, 1, e);
        if (last - first <= 2 && e < last) {
            add_power(&axis, 2, e);
            add_power(&axis, 5, e);
        }
    }
    return axis;
}

double nc_plot_axis_place(const nc_plot_axis *axis, double value)
{
    if (!axis->log)
        return (value - axis->low) / (axis->high - axis->low);
    return value > 0 ? log10(value / axis->low) / log10(axis->high / axis->low) : NAN;
}
