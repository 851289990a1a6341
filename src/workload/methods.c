#include <stddef.h>

#include "workload/solvers.h"

const scalay_workload_method scalay_workload_method_table[] = {
    {NULL, 0, 0, NULL, NULL},
};
