#include <stddef.h>

#include "published/published.h"

const scalay_workload_method scalay_workload_method_table[] = {
    {"popta", SCALAY_SOLVES_TIME, 1, scalay_popta, NULL},
    {"eopta", SCALAY_SOLVES_ENERGY, 1, scalay_eopta, NULL},
    {"hpopta", SCALAY_SOLVES_TIME, 0, scalay_hpopta, NULL},
    {"hipopta", SCALAY_SOLVES_TIME, 0, scalay_hipopta, NULL},
    {"hepopta", SCALAY_SOLVES_FRONT, 0, NULL, scalay_hepopta},
    {"htpopta", SCALAY_SOLVES_TOTAL_FRONT, 0, NULL, scalay_htpopta},
    {"aleph", SCALAY_SOLVES_FRONT, 1, NULL, scalay_aleph},
    {"even", SCALAY_SOLVES_TIME, 0, scalay_even, NULL},
    {"cpm", SCALAY_SOLVES_TIME, 0, scalay_cpm, NULL},
    {"fpm", SCALAY_SOLVES_TIME, 0, scalay_fpm, NULL},
    {NULL, 0, 0, NULL, NULL},
};
