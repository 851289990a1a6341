/*
 * How ranks use the cores of their hosts, and what is wrong with it: more ranks than cores, ranks that share a core
 * while another one is idle, more BLAS threads than cores.
 *
 * A host is a machine with a kernel of its own. Nodes of MPI that have a kernel in common, such as containers, are one
 * host. The cores of a host are those that the control group of the rank permits, or all that are online.
 */
#define _GNU_SOURCE /* sched_getaffinity */
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fingerprint.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/text.h"
#include "measure/machine.h"
#include "parallel/comm.h"
#include "parallel/node.h"
#include "parallel/threads.h"

/* ------------------------------------------------------------------------------------------------- one host, pure */

/* Finds a core for a rank along an alternating path. */
static int find_core(const scalay_host_ranks *host, int rank, int *rank_of_core, unsigned char *seen)
{
    for (int core = 0; core < host->cores; core++) {
        if (!host->may[(int64_t)rank * host->cores + core] || seen[core]) continue;
        seen[core] = 1;
        if (rank_of_core[core] >= 0 && !find_core(host, rank_of_core[core], rank_of_core, seen)) continue;
        rank_of_core[core] = rank;
        return 1;
    }
    return 0;
}

/* Returns the largest number of ranks that have a core of their own. */
static scalay_status match_cores(const scalay_host_ranks *host, int *matched)
{
    scalay_status status = SCALAY_SUCCESS;
    int *rank_of_core = NULL;
    unsigned char *seen = NULL;
    *matched = 0;
    SCALAY_TRY(SCALAY_NEW(rank_of_core, host->cores));
    SCALAY_TRY(SCALAY_NEW(seen, host->cores));
    for (int core = 0; core < host->cores; core++) rank_of_core[core] = -1;
    for (int rank = 0; rank < host->ranks; rank++) {
        memset(seen, 0, (size_t)host->cores);
        *matched += find_core(host, rank, rank_of_core, seen);
    }
cleanup:
    scalay_release(seen);
    scalay_release(rank_of_core);
    return status;
}

static int count_allowed(const scalay_host_ranks *host, int rank)
{
    int allowed = 0;
    for (int core = 0; core < host->cores; core++) allowed += host->may[(int64_t)rank * host->cores + core] != 0;
    return allowed;
}

scalay_status scalay_core_use_count(const scalay_host_ranks *host, scalay_core_use *use)
{
    scalay_status status = SCALAY_SUCCESS;
    int matched = 0;
    *use = (scalay_core_use){.ranks = host->ranks, .cores = host->cores, .shared = host->nodes};
    SCALAY_TRY(match_cores(host, &matched));
    if (matched < host->cores && matched < host->ranks) use->crowded = host->ranks - matched;
    int64_t threads = 0;
    for (int rank = 0; rank < host->ranks; rank++) {
        threads += scalay_max_int64(1, host->threads[rank]);
        use->narrow += host->threads[rank] > count_allowed(host, rank);
    }
    if (host->ranks <= host->cores) use->threads = threads;
    if (host->ranks <= host->cores) use->thread_cores = host->cores;
cleanup:
    return status;
}

/* ----------------------------------------------------------------------------------------------------- description */

const char *scalay_core_use_fault_name(int fault)
{
    static const char *const names[] = {[SCALAY_CORE_USE_OVERSUBSCRIBED] = "oversubscribed",
                                        [SCALAY_CORE_USE_CROWDED] = "crowded",
                                        [SCALAY_CORE_USE_NARROW] = "narrow",
                                        [SCALAY_CORE_USE_THREADS] = "threads"};
    return names[fault];
}

int scalay_core_use_describe(const scalay_core_use *p, int fault, char *text, size_t size)
{
    scalay_text s = {text, size, 0};
    if (size > 0) text[0] = '\0';
    if (fault == SCALAY_CORE_USE_OVERSUBSCRIBED && p->ranks > p->cores) {
        scalay_text_append(&s, "%lld ranks share %lld core%s of a host", (long long)p->ranks, (long long)p->cores,
                           p->cores == 1 ? "" : "s");
        if (p->shared > 1) scalay_text_append(&s, ", which has %lld nodes of MPI", (long long)p->shared);
        scalay_text_append(&s, "; the rates are those of shared cores. Start at most %lld ranks there",
                           (long long)p->cores);
    }
    if (fault == SCALAY_CORE_USE_CROWDED && p->crowded > 0)
        scalay_text_append(&s,
                           "%lld rank%s of a host must share a core while another core is idle. Bind each rank to a "
                           "core of its own: mpirun --map-by core --bind-to core (Open MPI), mpiexec -bind-to core "
                           "(MPICH)",
                           (long long)p->crowded, p->crowded == 1 ? "" : "s");
    if (fault == SCALAY_CORE_USE_NARROW && p->narrow > 0)
        scalay_text_append(&s,
                           "%lld rank%s may use fewer cores than the BLAS has threads. Set OPENBLAS_NUM_THREADS and "
                           "OMP_NUM_THREADS to the number of cores, or bind each rank to more cores: mpirun --map-by "
                           "slot:PE=CORES --bind-to core",
                           (long long)p->narrow, p->narrow == 1 ? "" : "s");
    if (fault == SCALAY_CORE_USE_THREADS && p->narrow == 0 && p->threads > p->thread_cores)
        scalay_text_append(&s,
                           "the ranks of a host have %lld BLAS threads on %lld cores. Set OPENBLAS_NUM_THREADS and "
                           "OMP_NUM_THREADS to the cores of a rank",
                           (long long)p->threads, (long long)p->thread_cores);
    return (int)s.length;
}

/* ---------------------------------------------------------------------------------------------------- cores of Linux
 */

enum { LOGICAL = CPU_SETSIZE, LINE = 4096 };

/* Reads the first line of a file without its end. Returns 0 if there is none. */
static int read_first_line(const char *path, char line[LINE])
{
    FILE *file = fopen(path, "r");
    if (file == NULL) return 0;
    const int is_read = fgets(line, LINE, file) != NULL;
    (void)fclose(file);
    if (is_read) line[strcspn(line, "\n")] = '\0';
    return is_read;
}

/* Marks the numbers of a list such as "0-3,8". Returns how many there are. */
static int parse_list(const char *list, unsigned char marked[LOGICAL])
{
    int count = 0;
    memset(marked, 0, LOGICAL);
    for (const char *at = list; *at >= '0' && *at <= '9';) {
        char *end = NULL;
        const long first = strtol(at, &end, 10), last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        for (long cpu = first; cpu <= last && cpu < LOGICAL; cpu++) {
            count += !marked[cpu];
            marked[cpu] = 1;
        }
        at = *end == ',' ? end + 1 : end;
    }
    return count;
}

/* Marks the logical processors that the control group permits, or that are online. Returns 0 if they are not known. */
static int find_permitted(unsigned char permitted[LOGICAL])
{
    char line[LINE] = "", path[2 * LINE];
    FILE *groups = fopen("/proc/self/cgroup", "r");
    int found = 0;
    while (groups != NULL && !found && fgets(line, LINE, groups) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "0::", 3) != 0) continue;
        (void)snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpuset.cpus.effective", line + 3);
        found = read_first_line(path, line) && parse_list(line, permitted) > 0;
    }
    if (groups != NULL) (void)fclose(groups);
    return found || (read_first_line("/sys/devices/system/cpu/online", line) && parse_list(line, permitted) > 0);
}

/* Returns the first logical processor of the core of one. */
static int core_of(int cpu)
{
    char line[LINE] = "", path[128];
    (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    if (!read_first_line(path, line) || line[0] < '0' || line[0] > '9') return cpu;
    const int first = atoi(line);
    return first >= 0 && first < LOGICAL ? first : cpu;
}

/* Logical processors of this rank, with the first one of a core for all of it. Returns the number of cores of the host;
 * 0: not known. */
static int find_cores(unsigned char mine[LOGICAL], unsigned char all[LOGICAL])
{
    unsigned char permitted[LOGICAL];
    cpu_set_t set;
    int cores = 0;
    memset(mine, 0, LOGICAL);
    memset(all, 0, LOGICAL);
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0 || !find_permitted(permitted)) return 0;
    for (int cpu = 0; cpu < LOGICAL; cpu++) {
        const int is_mine = CPU_ISSET((size_t)cpu, &set) != 0;
        if (!permitted[cpu] && !is_mine) continue;
        const int core = core_of(cpu);
        cores += !all[core];
        all[core] = 1;
        if (is_mine) mine[core] = 1;
    }
    return cores;
}

/* ------------------------------------------------------------------------------------------------------- all hosts */

/* Splits the ranks by the identity of the running kernel. */
static scalay_status split_by_host(scalay_comm *comm, MPI_Comm *host)
{
    scalay_status status = SCALAY_SUCCESS;
    char line[LINE] = "";
    uint64_t print = scalay_fingerprint_start();
    /* Without it, a node is a host. */
    if (!read_first_line("/proc/sys/kernel/random/boot_id", line))
        print = scalay_fingerprint_add(print, comm->node->ranks[0]);
    for (const char *c = line; *c != '\0'; c++) print = scalay_fingerprint_add(print, *c);
    SCALAY_TRY_MPI(MPI_Comm_split(comm->mpi, (int)(print % INT_MAX), comm->rank, host));
cleanup:
    return status;
}

/* Copies the columns of the cores of the host. */
static void compress(const unsigned char *masks, const unsigned char *all, int ranks, int cores, unsigned char *may)
{
    for (int rank = 0; rank < ranks; rank++)
        for (int cpu = 0, core = 0; cpu < LOGICAL; cpu++)
            if (all[cpu] && core < cores) may[(int64_t)rank * cores + core++] = masks[(int64_t)rank * LOGICAL + cpu];
}

/* Counts the faults of the host of this rank: on its first rank. Collective over the host. */
static scalay_status count_host(const scalay_comm *comm, MPI_Comm host, scalay_core_use *use)
{
    scalay_status status = SCALAY_SUCCESS;
    unsigned char mine[LOGICAL], all[LOGICAL], *masks = NULL, *may = NULL;
    int *threads = NULL, ranks = 0, rank = 0, nodes = 0;
    const int cores = find_cores(mine, all), own = scalay_get_threads(), leads = comm->node->rank == 0;
    MPI_Comm_size(host, &ranks);
    MPI_Comm_rank(host, &rank);
    if (rank == 0) {
        status = SCALAY_NEW(masks, (int64_t)ranks * LOGICAL);
        if (status == SCALAY_SUCCESS) status = SCALAY_NEW(threads, ranks);
        if (status == SCALAY_SUCCESS) status = SCALAY_NEW(may, (int64_t)ranks * scalay_max_int64(1, cores));
    }
    int fails = status != SCALAY_SUCCESS, any = 0;
    SCALAY_TRY_MPI(MPI_Allreduce(&fails, &any, 1, MPI_INT, MPI_MAX, host));
    if (any) goto cleanup;
    SCALAY_TRY_MPI(MPI_Gather(mine, LOGICAL, MPI_BYTE, masks, LOGICAL, MPI_BYTE, 0, host));
    SCALAY_TRY_MPI(MPI_Gather(&own, 1, MPI_INT, threads, 1, MPI_INT, 0, host));
    SCALAY_TRY_MPI(MPI_Reduce(&leads, &nodes, 1, MPI_INT, MPI_SUM, 0, host));
    if (rank > 0 || cores == 0) goto cleanup;
    compress(masks, all, ranks, cores, may);
    const scalay_host_ranks found = {.ranks = ranks, .cores = cores, .may = may, .threads = threads, .nodes = nodes};
    SCALAY_TRY(scalay_core_use_count(&found, use));
cleanup:
    scalay_release(may);
    scalay_release(threads);
    scalay_release(masks);
    return status;
}

/* A ratio and its terms, as MPI_DOUBLE_INT reduces them by the rank that has the largest one. */
typedef struct {
    double ratio;
    int rank;
} largest;

/* Takes over two numbers of the host whose ratio is the largest. Collective over comm. */
static scalay_status take_largest(const scalay_comm *comm, int64_t *above, int64_t *below)
{
    scalay_status status = SCALAY_SUCCESS;
    const largest mine = {*below > 0 ? (double)*above / (double)*below : 0.0, comm->rank};
    largest found = mine;
    int64_t numbers[] = {*above, *below};
    SCALAY_TRY_MPI(MPI_Allreduce(&mine, &found, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm->mpi));
    SCALAY_TRY_MPI(MPI_Bcast(numbers, 2, MPI_INT64_T, found.rank, comm->mpi));
    *above = numbers[0];
    *below = numbers[1];
cleanup:
    return status;
}

scalay_status scalay_core_use_find(scalay_comm *comm, scalay_core_use *use)
{
    scalay_status status = SCALAY_SUCCESS;
    MPI_Comm host = MPI_COMM_NULL;
    scalay_core_use p = {0};
    SCALAY_TRY(scalay_node_probe(comm));
    status = split_by_host(comm, &host);
    if (status == SCALAY_SUCCESS) status = count_host(comm, host, &p);
    if (host != MPI_COMM_NULL && !scalay_comm_is_broken(comm)) MPI_Comm_free(&host);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    SCALAY_TRY(take_largest(comm, &p.ranks, &p.cores));
    SCALAY_TRY(take_largest(comm, &p.threads, &p.thread_cores));
    int64_t most[] = {p.crowded, p.shared};
    SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_INT64_T, MPI_MAX, comm->mpi));
    SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, &p.narrow, 1, MPI_INT64_T, MPI_SUM, comm->mpi));
    p.crowded = most[0];
    p.shared = most[1];
    *use = p;
cleanup:
    return status;
}
