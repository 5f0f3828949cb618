// From the number of a run to the values of its parameters.
#include "study/study.h"

#include <math.h>
#include <stdlib.h>

const char *nc_shortest_text(double value, char *out, size_t out_size)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, out_size, "%.*g", digits, value);
        if (strtod(out, NULL) == value)
            break;
    }
    return out;
}

static double sampled_value(const nc_study_parameter *p, double u)
{
    if (p->whole)
        return fmin(p->high, p->low + floor(u * (p->high - p->low + 1)));
    if (p->log)
        return p->low * pow(p->high / p->low, u);
    return p->low + u * (p->high - p->low);
}

const char *nc_study_plan_value(const nc_study_plan *plan, int64_t number, int parameter, char *out, size_t out_size)
{
    int64_t rest = (number - 1) / plan->sample_count;
    const int64_t sample = (number - 1) % plan->sample_count;
    int dimension = 0;
    for (int i = 0; i < parameter; i++)
        dimension += plan->parameters[i].texts == NULL;
    const nc_study_parameter *p = &plan->parameters[parameter];
    if (p->texts == NULL) {
        const double u = plan->samples[sample * plan->dimensions + dimension];
        return nc_shortest_text(sampled_value(p, u), out, out_size);
    }
    for (int i = plan->parameter_count - 1; i > parameter; i--)
        rest /= plan->parameters[i].texts != NULL ? plan->parameters[i].count : 1;
    snprintf(out, out_size, "%s", p->texts[rest % p->count]);
    return out;
}
