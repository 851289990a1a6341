/*
 * The processor that this process runs on: host, binding, cores (by hwloc if available) and threads of BLAS.
 */
#define _GNU_SOURCE /* sched_getaffinity */
#include "measure/processor.h"

#include <sched.h>
#include <string.h>
#include <unistd.h>

#ifdef SCALAY_HAVE_HWLOC
#include <hwloc.h>
#endif

#include "base/text.h"
#include "parallel/threads.h"

/* -------------------------------------------------------------------------------------------------- binding */

const char *scalay_print_set(int count, int (*is_member)(int number, const void *set), const void *set, char *text,
                             size_t size)
{
    scalay_text list = {text, size, 0};
    scalay_text_append(&list, "%s", "");
    for (int first = 0; first < count; first++) {
        if (!is_member(first, set)) continue;
        int last = first;
        while (last + 1 < count && is_member(last + 1, set)) last++;
        scalay_text_append(&list, last > first ? "%s%d-%d" : "%s%d", list.length > 0 ? "," : "", first, last);
        first = last;
    }
    return text;
}

#ifdef SCALAY_HAVE_HWLOC

static int is_in_bitmap(int number, const void *set)
{
    return hwloc_bitmap_isset(set, (unsigned)number);
}

/* Counts the cores of which at least one hardware thread is in the set. */
static int count_cores(hwloc_topology_t topology, hwloc_const_bitmap_t set)
{
    int cores = 0;
    hwloc_obj_t core = NULL;
    while ((core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core)) != NULL)
        cores += hwloc_bitmap_intersects(core->cpuset, set) != 0;
    return cores;
}

/* Sets the hardware threads that this process may run on, and the number of their cores. */
static void describe_binding(scalay_record_processor *facts)
{
    hwloc_topology_t topology = NULL;
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    if (set == NULL || hwloc_topology_init(&topology) != 0) {
        hwloc_bitmap_free(set);
        return;
    }
    (void)hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    (void)hwloc_topology_set_type_filter(topology, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
    if (hwloc_topology_load(topology) == 0 && hwloc_get_cpubind(topology, set, HWLOC_CPUBIND_PROCESS) == 0) {
        hwloc_bitmap_and(set, set, hwloc_topology_get_complete_cpuset(topology));
        (void)scalay_print_set(hwloc_bitmap_last(set) + 1, is_in_bitmap, set, facts->binding, sizeof facts->binding);
        facts->cores = count_cores(topology, set);
    }
    hwloc_topology_destroy(topology);
    hwloc_bitmap_free(set);
}

#else

static int is_in_set(int number, const void *set)
{
    return CPU_ISSET((size_t)number, (const cpu_set_t *)set);
}

static void describe_binding(scalay_record_processor *facts)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return;
    (void)scalay_print_set(CPU_SETSIZE, is_in_set, &set, facts->binding, sizeof facts->binding);
}

#endif

void scalay_describe_processor(scalay_record_processor *facts)
{
    *facts = (scalay_record_processor){.threads = scalay_get_threads()};
    if (gethostname(facts->host, sizeof facts->host - 1) != 0) (void)strcpy(facts->host, "unknown");
    describe_binding(facts);
}
