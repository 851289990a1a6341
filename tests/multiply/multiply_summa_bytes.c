/*
 * What travels, by the calls that move it: sends, broadcasts and reads of others' memory are counted here, below the
 * library. On each shape of three parts it is f_c, element by element, and memory is what the headers promise.
 */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "multiply/products.h"

enum { SIDE = 240, SIZE = sizeof(double) };

/* ------------------------------------------------------------------------------------------------- counting */

static int64_t bytes_moved; /* to others, or read from them, since it was set to 0 */

static int64_t bytes_of(int count, MPI_Datatype type)
{
    int size = 0;
    MPI_Type_size(type, &size);
    return (int64_t)count * size;
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    bytes_moved += bytes_of(count, type);
    return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

/* The root is one of those that get it. */
int MPI_Ibcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request)
{
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    if (rank != root) bytes_moved += bytes_of(count, type);
    return PMPI_Ibcast(buffer, count, type, root, comm, request);
}

ssize_t process_vm_readv(pid_t pid, const struct iovec *to, unsigned long to_count, const struct iovec *from,
                         unsigned long from_count, unsigned long flags)
{
    const ssize_t got = syscall(SYS_process_vm_readv, pid, to, to_count, from, from_count, flags);
    if (got > 0) bytes_moved += got;
    return got;
}

/* --------------------------------------------------------------------------------------------------- shapes */

static scalay_layout *shape_layout(const char *shape, int ranks)
{
    double area[16];
    scalay_partition_options options = scalay_partition_options_default();
    scalay_partition *partition = NULL;
    scalay_layout *layout = NULL;
    options.shape = shape;
    for (int k = 0; k < ranks; k++) area[k] = k == 0 ? 8.0 : 1.0 / (double)(k + 1);
    CHECK_STATUS(scalay_partition_create(SIDE, SIDE, ranks, area, &options, &partition), SCALAY_SUCCESS);
    if (partition != NULL)
        CHECK_STATUS(scalay_layout_from_owner_map(scalay_partition_map(partition), &layout), SCALAY_SUCCESS);
    scalay_partition_destroy(&partition);
    return layout;
}

/* How many ranks own something of a row, or of a column. */
static int owners_of_line(const scalay_layout *layout, int line, int is_row)
{
    char owns[16] = {0};
    int count = 0;
    for (int k = 0; k < SIDE; k++) {
        const int owner = scalay_layout_owner(layout, is_row ? line : k, is_row ? k : line);
        count += !owns[owner];
        owns[owner] = 1;
    }
    return count;
}

/* n times the owners of each row and column that are not the first: the definition of f_c. */
static int64_t definition(const scalay_layout *layout)
{
    int64_t others = 0;
    for (int line = 0; line < SIDE; line++)
        others += owners_of_line(layout, line, 1) - 1 + owners_of_line(layout, line, 0) - 1;
    return SIDE * others;
}

/* Whether a rank owns something of a row or column. */
static void mark_lines(const scalay_layout *layout, int rank, char mark[2 * SIDE])
{
    memset(mark, 0, 2 * SIDE);
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            if (scalay_layout_owner(layout, i, j) == rank) mark[i] = mark[SIDE + j] = 1;
}

/* Rows and columns in which this rank owns something, and another one, too. */
static int64_t common_lines(const scalay_layout *layout, int rank, int other)
{
    char mine[2 * SIDE], its[2 * SIDE];
    int64_t lines = 0;
    mark_lines(layout, rank, mine);
    mark_lines(layout, other, its);
    for (int k = 0; k < 2 * SIDE; k++) lines += mine[k] && its[k];
    return lines;
}

/* ------------------------------------------------------------------------------------------------- products */

static int64_t everybody(int64_t mine)
{
    int64_t all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* All that is allocated, but for the lists of the plan, is the workspace that the statistics tell, and within what the
 * headers promise: a panel of what is needed, or two besides two of what is sent. */
static void check_memory(scalay_comm *comm, const scalay_layout *layout, const scalay_summa_options *options,
                         int64_t begun, const scalay_summa_statistics *s)
{
    const int rank = scalay_comm_rank(comm), reads = strcmp(options->transport, "shared") == 0;
    const int64_t taken = scalay_memory_peak() - begun, lists = 64 * 1024;
    int64_t lines = common_lines(layout, rank, rank) * (reads ? 1 : 2);
    CHECK(taken <= s->workspace_bytes + lists);
    CHECK(s->workspace_bytes <= taken);
    for (int other = 0; other < scalay_comm_size(comm) && !reads; other++)
        if (other != rank) lines += 2 * common_lines(layout, rank, other);
    CHECK(s->workspace_bytes <= options->panel * lines * SIZE);
}

/* Counted bytes and those of the statistics are f_c. */
static void multiply_on(scalay_comm *comm, const scalay_layout *layout, const char *transport)
{
    const double one = 1.0, zero = 0.0;
    const int64_t size = scalay_layout_local_size(layout, scalay_comm_rank(comm)), expected = definition(layout);
    double *array[3] = {NULL};
    scalay_summa *summa = NULL;
    scalay_summa_statistics s = {0};
    scalay_summa_options options = scalay_summa_options_default();
    options.transport = transport;
    options.panel = 60;
    for (int k = 0; k < 3; k++) array[k] = calloc((size_t)size + 1, sizeof *array[k]);
    scalay_memory_reset_peak();
    const int64_t begun = scalay_memory_bytes();
    const scalay_status status = scalay_summa_create(comm, SCALAY_DOUBLE, SCALAY_NO_TRANSPOSE, SCALAY_NO_TRANSPOSE,
                                                     layout, layout, layout, &options, &summa);
    /* Not every system lets processes read each other's memory. */
    if (status == SCALAY_ERROR_UNSUPPORTED && strcmp(transport, "shared") == 0) goto cleanup;
    CHECK_STATUS(status, SCALAY_SUCCESS);
    const int64_t planned = scalay_memory_bytes();
    bytes_moved = 0;
    CHECK_STATUS(scalay_summa_execute(summa, &one, array[0], array[1], &zero, array[2]), SCALAY_SUCCESS);
    CHECK(everybody(bytes_moved) == expected * SIZE);
    CHECK(scalay_memory_bytes() == planned);
    CHECK_STATUS(scalay_summa_get_statistics(summa, &s), SCALAY_SUCCESS);
    CHECK(everybody(s.elements_received) == expected);
    CHECK(s.volume == expected);
    check_memory(comm, layout, &options, begun, &s);
cleanup:
    scalay_summa_destroy(&summa);
    for (int k = 0; k < 3; k++) free(array[k]);
}

/* Shapes of three parts exist for these areas: none may be left out. Others have columns and what is chosen. */
static void what_is_moved_is_what_the_shape_costs(scalay_comm *comm)
{
    static const char *const three[] = {"block-rectangle", "square-corner", "square-rectangle", "columns", NULL};
    static const char *const any[] = {"columns", "auto", NULL};
    static const char *const transports[] = {"messages", "broadcast", "shared"};
    const int ranks = scalay_comm_size(comm);
    for (const char *const *shape = ranks == 3 ? three : any; *shape != NULL; shape++) {
        scalay_layout *layout = shape_layout(*shape, ranks);
        for (int t = 0; t < 3 && layout != NULL; t++) multiply_on(comm, layout, transports[t]);
        scalay_layout_destroy(&layout);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    what_is_moved_is_what_the_shape_costs(comm);
    scalay_comm_destroy(&comm);
    return check_verdict();
}
