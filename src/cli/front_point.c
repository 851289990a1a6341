#include "front_point.h"

int scalay_front_point_count(const scalay_options *options)
{
    return options->within_time.given + options->within_energy.given + options->knee;
}

const char *scalay_front_point_option(const scalay_options *options)
{
    if (options->knee) return "knee";
    if (options->within_time.given) return "within-time";
    return options->within_energy.given ? "within-energy" : NULL;
}

int64_t scalay_front_point_choose(const scalay_options *options, const scalay_workload_front *front)
{
    if (options->knee) return scalay_workload_front_knee(front);
    if (options->within_time.given) return scalay_workload_front_within_time(front, options->within_time.value);
    return options->within_energy.given ? scalay_workload_front_within_energy(front, options->within_energy.value) : -1;
}
