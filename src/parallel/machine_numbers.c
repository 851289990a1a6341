/*
 * The machine's numbers of a communicator, and the conditions under which a measurement is valid.
 *
 * A file of the user's cache folder keeps a measurement. Its name has a fingerprint of processor model, BLAS, threads
 * and MPI, the number of ranks, and a fingerprint of the ranks of each node if there are several. Its contents repeat
 * these conditions in full. A file whose conditions differ, or that is too old, is stale. Rank 0 reads the file, and
 * broadcasts the rates. If the file cannot be written, its process keeps the last measurement for the next
 * communicators.
 */
#define _GNU_SOURCE /* dladdr, RTLD_DEFAULT, realpath */
#include "parallel/machine_numbers.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fingerprint.h"
#include "base/memory.h"
#include "base/text.h"
#include "parallel/machine_types.h"
#include "parallel/node.h"
#include "parallel/threads.h"

/* ----------------------------------------------------------------------------------- conditions of this process */

/* Copies a text without characters that would end a line of the file. */
static void copy_line(const char *text, char copy[SCALAY_CALIBRATION_TEXT])
{
    (void)scalay_printable(text, (int64_t)strlen(text), copy, SCALAY_CALIBRATION_TEXT);
    if (copy[0] == '\0') (void)strcpy(copy, "unknown");
}

/* The file of dgemm with symbolic links resolved: BLAS libraries are exchanged by such links. */
static void describe_blas(char blas[SCALAY_CALIBRATION_TEXT])
{
    Dl_info info = {0};
    char path[PATH_MAX];
    void *address = dlsym(RTLD_DEFAULT, "dgemm_");
    const int found = address != NULL && dladdr(address, &info) != 0 && info.dli_fname != NULL;
    copy_line(!found ? "unknown" : realpath(info.dli_fname, path) != NULL ? path : info.dli_fname, blas);
}

/* The model of the processor. /proc/cpuinfo calls it "model name", "CPU part" or "cpu". */
static void describe_cpu(char cpu[SCALAY_CALIBRATION_TEXT])
{
    static const char *const names[] = {"model name", "CPU part", "cpu\t"};
    char line[SCALAY_CALIBRATION_TEXT] = "";
    FILE *stream = fopen("/proc/cpuinfo", "r");
    (void)strcpy(cpu, "unknown");
    while (stream != NULL && strcmp(cpu, "unknown") == 0 && fgets(line, sizeof line, stream) != NULL)
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
            char *value = strchr(line, ':');
            if (strncmp(line, names[k], strlen(names[k])) != 0 || value == NULL) continue;
            value += 1 + strspn(value + 1, " \t");
            value[strcspn(value, "\n")] = '\0';
            copy_line(value, cpu);
        }
    if (stream != NULL) (void)fclose(stream);
}

static void describe_mpi(char mpi[SCALAY_CALIBRATION_TEXT])
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    (void)MPI_Get_library_version(version, &length);
    version[strcspn(version, "\n")] = '\0';
    version[strnlen(version, SCALAY_CALIBRATION_TEXT / 2)] = '\0';
    copy_line(version, mpi);
}

void scalay_calibration_describe(scalay_calibration *calibration)
{
    char host[SCALAY_CALIBRATION_TEXT] = "";
    if (gethostname(host, sizeof host - 1) != 0) (void)strcpy(host, "unknown");
    copy_line(host, calibration->host);
    describe_cpu(calibration->cpu);
    describe_blas(calibration->blas);
    describe_mpi(calibration->mpi);
    (void)snprintf(calibration->library, sizeof calibration->library, "%s", SCALAY_VERSION);
    calibration->threads = scalay_get_threads();
    calibration->written = (int64_t)time(NULL);
}

static uint64_t add_text(uint64_t fingerprint, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) fingerprint = scalay_fingerprint_add(fingerprint, *c);
    return scalay_fingerprint_add(fingerprint, '\n');
}

int64_t scalay_calibration_key(const scalay_calibration *calibration)
{
    uint64_t fingerprint = add_text(scalay_fingerprint_start(), calibration->cpu);
    fingerprint = add_text(add_text(fingerprint, calibration->blas), calibration->mpi);
    return (int64_t)(scalay_fingerprint_add(fingerprint, calibration->threads) >> 1);
}

/* --------------------------------------------------------------------------------------------- name of the file */

/* Returns what a node adds to the fingerprint of the nodes. The sum over 2^22 nodes does not overflow. */
static int64_t layout_of_node(int ranks)
{
    const uint64_t print = scalay_fingerprint_add(scalay_fingerprint_add(scalay_fingerprint_start(), ranks), ranks);
    return (int64_t)(print & 0xffffffffffu);
}

scalay_status scalay_calibration_layout(const int *node, int processes, int64_t *layout)
{
    scalay_status status = SCALAY_SUCCESS;
    int *ranks = NULL, nodes = 0;
    *layout = 0;
    if (node == NULL) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(ranks, processes));
    for (int p = 0; p < processes; p++) ranks[node[p]]++;
    for (int k = 0; k < processes; k++) {
        if (ranks[k] == 0) continue;
        *layout += layout_of_node(ranks[k]);
        nodes++;
    }
    if (nodes == 1) *layout = 0;
cleanup:
    scalay_release(ranks);
    return status;
}

int scalay_calibration_print_path(int64_t key, int processes, int64_t layout, char *text, size_t size)
{
    scalay_text s = {text, text != NULL ? size : 0, 0};
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (s.size > 0) text[0] = '\0';
    /* The XDG specification says that relative paths are ignored. */
    if (cache != NULL && cache[0] == '/')
        scalay_text_append(&s, "%s/scalay/", cache);
    else if (home != NULL && home[0] == '/')
        scalay_text_append(&s, "%s/.cache/scalay/", home);
    scalay_text_append(&s, "machine-%016llx-%d", (unsigned long long)key, processes);
    if (layout != 0) scalay_text_append(&s, "-%llx", (unsigned long long)layout);
    scalay_text_append(&s, ".txt");
    return (int)s.length;
}

scalay_status scalay_calibration_find_path(const char *function, const char *given, int64_t key,
                                           const scalay_calibration *here, char path[SCALAY_CALIBRATION_PATH])
{
    scalay_text text = {path, SCALAY_CALIBRATION_PATH, 0};
    if (given != NULL)
        scalay_text_append(&text, "%s", given);
    else
        text.length =
            scalay_calibration_print_path(key, (int)here->processes, here->layout, path, SCALAY_CALIBRATION_PATH);
    if (text.length < SCALAY_CALIBRATION_PATH) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "the path of the file has %lld bytes; it must have at most %d",
                       (long long)text.length, SCALAY_CALIBRATION_PATH - 1);
}

/* Replaces the path of a file on one node by that of the newest file on several nodes, if there is one. */
static void find_newest(char path[SCALAY_CALIBRATION_PATH])
{
    char folder[SCALAY_CALIBRATION_PATH], found[SCALAY_CALIBRATION_PATH];
    struct stat facts;
    time_t newest = 0;
    char *const slash = strrchr(strcpy(folder, path), '/'), *const name = slash != NULL ? slash + 1 : folder;
    const size_t stem = strlen(name) - strlen(".txt");
    name[stem] = '-';
    if (slash != NULL) *slash = '\0';
    DIR *entries = opendir(slash != NULL ? folder : ".");
    for (struct dirent *e; entries != NULL && (e = readdir(entries)) != NULL;) {
        const char *const end = strrchr(e->d_name, '.');
        if (strncmp(e->d_name, name, stem + 1) != 0 || strcmp(end != NULL ? end : "", ".txt") != 0) continue;
        scalay_text text = {found, sizeof found, 0};
        scalay_text_append(&text, "%s/%s", slash != NULL ? folder : ".", e->d_name);
        if (text.length >= (int64_t)sizeof found || stat(found, &facts) != 0 || facts.st_mtime < newest) continue;
        newest = facts.st_mtime;
        (void)strcpy(path, found);
    }
    if (entries != NULL) (void)closedir(entries);
}

scalay_status scalay_calibration_find_known(const char *function, int64_t key, const scalay_calibration *here,
                                            char path[SCALAY_CALIBRATION_PATH])
{
    const scalay_status status = scalay_calibration_find_path(function, NULL, key, here, path);
    if (status == SCALAY_SUCCESS && here->layout == 0 && access(path, F_OK) != 0) find_newest(path);
    return status;
}

/* ------------------------------------------------------------------------------------------------- staleness */

static scalay_status differs(const char *function, const char *path, const char *what, const char *then,
                             const char *now)
{
    return scalay_fail(SCALAY_ERROR_MISMATCH, function, "%s is stale: %s was %s, now it is %s; measure again", path,
                       what, then, now);
}

static scalay_status number_differs(const char *function, const char *path, const char *what, int64_t then, int64_t now)
{
    char before[32], after[32];
    (void)snprintf(before, sizeof before, "%lld", (long long)then);
    (void)snprintf(after, sizeof after, "%lld", (long long)now);
    return differs(function, path, what, before, after);
}

/* Compares texts. Version 1 of the file does not have all of them. */
static scalay_status compare_texts(const char *function, const char *path, const scalay_calibration *found,
                                   const scalay_calibration *here)
{
    if (strcmp(found->blas, here->blas) != 0) return differs(function, path, "the BLAS", found->blas, here->blas);
    if (found->cpu[0] != '\0' && strcmp(found->cpu, here->cpu) != 0)
        return differs(function, path, "the processor", found->cpu, here->cpu);
    if (found->mpi[0] != '\0' && strcmp(found->mpi, here->mpi) != 0)
        return differs(function, path, "the MPI library", found->mpi, here->mpi);
    return SCALAY_SUCCESS;
}

scalay_status scalay_calibration_check(const char *function, const char *path, const scalay_calibration *found,
                                       const scalay_calibration *here, double max_age, int anywhere)
{
    scalay_status status = SCALAY_SUCCESS;
    const double age = (double)here->written - (double)found->written;
    if (here->processes > 0 && found->processes != here->processes)
        return number_differs(function, path, "the number of processes", found->processes, here->processes);
    if (age < -3600.0 || age > max_age)
        return scalay_fail(SCALAY_ERROR_MISMATCH, function,
                           "%s is stale: it was measured %.1f days ago; %.1f days are allowed; measure again", path,
                           age / 86400.0, max_age / 86400.0);
    if (strcmp(found->library, here->library) != 0)
        return differs(function, path, "the version of ScaLAY", found->library, here->library);
    if (anywhere) return SCALAY_SUCCESS;
    SCALAY_TRY(compare_texts(function, path, found, here));
    if (found->threads != here->threads)
        return number_differs(function, path, "the number of BLAS threads", found->threads, here->threads);
    if (here->binding != 0 && found->binding != here->binding)
        return scalay_fail(SCALAY_ERROR_MISMATCH, function,
                           "%s is stale: the processes shared nodes and cores in another way; measure again", path);
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------- conditions of all ranks */

scalay_status scalay_calibration_find_conditions(scalay_comm *comm, scalay_status mine, scalay_calibration *here,
                                                 int64_t *key)
{
    enum { KEY = 0, NODE_SIZE = 2, KIND = 3 };
    scalay_status status = SCALAY_SUCCESS;
    scalay_agreement all = {{0}, {0}, {0}};
    SCALAY_TRY(scalay_node_probe(comm));
    scalay_calibration_describe(here);
    const double share = scalay_node_share(comm->node);
    const int64_t kind = scalay_node_kind(here, comm->node->processors);
    scalay_agreement_compare(&all, KEY, scalay_calibration_key(here));
    scalay_agreement_compare(&all, KIND, kind);
    all.maximum[NODE_SIZE] = comm->node->size;
    all.sum[0] = comm->node->rank == 0;
    all.sum[1] = (int64_t)(1000.0 * (share < 1.0 ? share : 1.0));
    all.sum[2] = comm->node->rank == 0 ? layout_of_node(comm->node->size) : 0;
    SCALAY_TRY(scalay_comm_agree_on(comm, mine, &all));
    const int is_equal = scalay_agreement_is_equal(&all, KIND);
    uint64_t print = scalay_fingerprint_add(scalay_fingerprint_start(), all.maximum[NODE_SIZE]);
    print = scalay_fingerprint_add(scalay_fingerprint_add(print, all.sum[0]), all.sum[1]);
    /* The types of a file have the numbers of these nodes only if they are the same types. */
    for (int k = KIND; k <= KIND + 1 && !is_equal; k++) print = scalay_fingerprint_add(print, all.maximum[k]);
    here->binding = (int64_t)(print >> 1);
    here->processes = comm->size;
    here->layout = all.sum[0] > 1 ? all.sum[2] : 0;
    print = scalay_fingerprint_add(scalay_fingerprint_start(), all.maximum[KEY]);
    *key = scalay_agreement_is_equal(&all, KEY) ? all.maximum[KEY]
                                                : (int64_t)(scalay_fingerprint_add(print, all.maximum[KEY + 1]) >> 1);
    SCALAY_TRY(scalay_node_types_find(comm, kind, is_equal, all.sum[0], here));
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------- numbers of a communicator */

static void set_numbers(scalay_machine_numbers *numbers, const scalay_machine_sample *sample,
                        scalay_numbers_source source)
{
    numbers->machine = sample->machine;
    numbers->source = source;
    numbers->spread = scalay_machine_sample_spread(sample);
    numbers->busy = sample->busy;
    numbers->needs_renewal = 0;
}

/* The last measurement of this process whose file could not be written. Threads with communicators of their own use it
 * one at a time; a thread that would have to wait goes without it. */
static struct {
    atomic_flag is_used;
    char path[SCALAY_CALIBRATION_PATH]; /* of the file; "": no measurement */
    scalay_calibration calibration;
} unwritten = {.is_used = ATOMIC_FLAG_INIT};

static void keep_unwritten(const char *path, const scalay_calibration *here)
{
    if (atomic_flag_test_and_set(&unwritten.is_used)) return;
    (void)snprintf(unwritten.path, sizeof unwritten.path, "%s", path);
    unwritten.calibration = *here;
    atomic_flag_clear(&unwritten.is_used);
}

/* Returns 1 if there is such a measurement. */
static int read_unwritten(const char *path, scalay_calibration *found)
{
    if (atomic_flag_test_and_set(&unwritten.is_used)) return 0;
    const int is_found = unwritten.path[0] != '\0' && strcmp(unwritten.path, path) == 0;
    if (is_found) *found = unwritten.calibration;
    atomic_flag_clear(&unwritten.is_used);
    return is_found;
}

/* The file of the numbers; "": none. */
static void find_numbers_path(int64_t key, const scalay_calibration *here, char path[SCALAY_CALIBRATION_PATH])
{
    const char *given = getenv("SCALAY_MACHINE");
    if (given != NULL && given[0] == '\0') given = NULL;
    if (scalay_calibration_find_path("scalay_machine_numbers_get", given, key, here, path) != SCALAY_SUCCESS)
        path[0] = '\0';
}

/* Rank 0: finds a measurement that is valid here, in the file or in this process. Returns 1 if there is one. */
static int find_measurement(const char *path, const scalay_calibration *here, scalay_calibration *found)
{
    static const char function[] = "scalay_machine_numbers_get";
    for (int is_file = 1; is_file >= 0; is_file--) {
        const int is_read =
            is_file ? scalay_calibration_read(path, found) == SCALAY_SUCCESS : read_unwritten(path, found);
        if (is_read &&
            scalay_calibration_check(function, path, found, here, SCALAY_CALIBRATION_MAX_AGE, 0) == SCALAY_SUCCESS)
            return 1;
        scalay_set_message(""); /* no numbers are no failure */
    }
    return 0;
}

/* First call: reads the file on rank 0, and broadcasts. */
static scalay_status read_numbers(scalay_comm *comm)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_calibration here = {.host = ""}, found = {.host = ""};
    scalay_machine_numbers *numbers = NULL;
    char path[SCALAY_CALIBRATION_PATH];
    int64_t key = 0;
    SCALAY_TRY(scalay_calibration_find_conditions(comm, SCALAY_NEW(numbers, 1), &here, &key));
    *numbers = (scalay_machine_numbers){.source = SCALAY_NUMBERS_NONE};
    if (comm->rank == 0) {
        const char *allowed = getenv("SCALAY_CALIBRATE");
        find_numbers_path(key, &here, path);
        numbers->page_seconds = scalay_memory_page_seconds() * fmax(1.0, 1.0 / scalay_node_share(comm->node));
        numbers->can_be_measured = allowed == NULL || strcmp(allowed, "off") != 0;
        if (find_measurement(path, &here, &found)) {
            set_numbers(numbers, &found.sample, SCALAY_NUMBERS_KEPT);
            numbers->needs_renewal = scalay_calibration_needs_renewal(&found, &here);
        }
    }
    SCALAY_TRY_MPI(MPI_Bcast(numbers, (int)sizeof *numbers, MPI_BYTE, 0, comm->mpi));
    comm->machine_numbers = numbers;
    numbers = NULL;
cleanup:
    scalay_release(numbers);
    return status;
}

/* Rank 0: merges the measurement with the one before, and writes it. A file that is not a calibration is left alone,
 * and a failure is not an error. */
static void keep_numbers(int64_t key, scalay_calibration *here)
{
    scalay_calibration old = {.host = ""};
    char path[SCALAY_CALIBRATION_PATH];
    int is_kept = 0;
    find_numbers_path(key, here, path);
    if (find_measurement(path, here, &old)) scalay_machine_sample_merge(&old.sample, &here->sample);
    if (path[0] != '\0' && scalay_calibration_read(path, &old) != SCALAY_ERROR_FORMAT)
        (void)scalay_calibration_keep(path, 1, here, &is_kept);
    if (!is_kept) keep_unwritten(path, here);
    scalay_set_message("");
}

static scalay_status measure_numbers(scalay_comm *comm, int64_t limit)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_calibration here = {.host = ""};
    int64_t key = 0;
    SCALAY_TRY(scalay_calibration_find_conditions(comm, SCALAY_SUCCESS, &here, &key));
    SCALAY_TRY(scalay_machine_sample_measure(comm, 1e-9 * (double)limit, &here.sample));
    if (comm->rank == 0) keep_numbers(key, &here);
    SCALAY_TRY_MPI(MPI_Bcast(&here.sample, (int)sizeof here.sample, MPI_BYTE, 0, comm->mpi));
    set_numbers(comm->machine_numbers, &here.sample, SCALAY_NUMBERS_MEASURED);
cleanup:
    return status;
}

scalay_status scalay_machine_numbers_get(scalay_comm *comm, int64_t limit, const scalay_machine_numbers **numbers)
{
    scalay_status status = SCALAY_SUCCESS;
    *numbers = NULL;
    if (comm->machine_numbers == NULL) SCALAY_TRY(read_numbers(comm));
    const scalay_machine_numbers *found = comm->machine_numbers;
    if ((found->source == SCALAY_NUMBERS_NONE || found->needs_renewal) && found->can_be_measured &&
        limit >= SCALAY_NUMBERS_MIN_LIMIT)
        SCALAY_TRY(measure_numbers(comm, limit));
    *numbers = comm->machine_numbers;
cleanup:
    return status;
}
