/* What moving a patch costs beside a memcpy of as many bytes, by the same thread, in the same run: bench_copier [ROWS].
   ROWS x ROWS doubles in all (2048: 32 MiB, the memory; 128: the second cache) move as one patch, whose columns come in
   runs; what is packed, run by run into the same buffer. Blocks of nb rows and a gap of as many: a rank's every second
   block goes to the same place. */
#include "timing.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "redist/copier.h"

enum { REPEAT = 9 };

typedef enum { STRAIGHT, TRANSPOSED } direction;

typedef struct {
    const char *name;
    int64_t block;   /* rows of a run; 0: all */
    int far_gap;     /* 1: blocks have gaps at the far end, 0: at the near end */
    int64_t columns; /* of a run; 0: all */
    scalay_run_position from, to;
    direction source, target;
    int scaled, adds;
} patch_kind;

#define PACK SCALAY_AT_OWN, SCALAY_AT_PACKED, STRAIGHT, STRAIGHT, 0, 0
#define UNPACK SCALAY_AT_PACKED, SCALAY_AT_OWN, STRAIGHT, STRAIGHT, 0, 0
#define PULL SCALAY_AT_REMOTE, SCALAY_AT_OWN, STRAIGHT, STRAIGHT, 0, 0

static const patch_kind kinds[] = {
    {"whole", 0, 1, 0, PULL},
    {"pack, nb 1", 1, 0, 64, PACK},
    {"pack, nb 2", 2, 0, 64, PACK},
    {"pack, nb 4", 4, 0, 64, PACK},
    {"pack, nb 5", 5, 0, 64, PACK},
    {"pack, nb 8", 8, 0, 64, PACK},
    {"pack, nb 16", 16, 0, 64, PACK},
    {"pack, nb 32", 32, 0, 64, PACK},
    {"pack, nb 128", 128, 0, 64, PACK},
    {"pack, nb 1, single columns", 1, 0, 1, PACK},
    {"unpack, nb 1", 1, 0, 64, UNPACK},
    {"unpack, nb 2", 2, 0, 64, UNPACK},
    {"unpack, nb 4", 4, 0, 64, UNPACK},
    {"unpack, nb 8", 8, 0, 64, UNPACK},
    {"unpack, nb 16", 16, 0, 64, UNPACK},
    {"unpack, nb 32", 32, 0, 64, UNPACK},
    {"unpack, nb 128", 128, 0, 64, UNPACK},
    {"pull, gaps far, nb 1", 1, 1, 64, PULL},
    {"pull, gaps far, nb 4", 4, 1, 64, PULL},
    {"pull, gaps far, nb 16", 16, 1, 64, PULL},
    {"pull, gaps far, nb 32", 32, 1, 64, PULL},
    {"pull, gaps far, nb 128", 128, 1, 64, PULL},
    {"pull, gaps near, nb 1", 1, 0, 64, PULL},
    {"pull, gaps near, nb 4", 4, 0, 64, PULL},
    {"pull, gaps near, nb 32", 32, 0, 64, PULL},
    {"pull, gaps near, nb 128", 128, 0, 64, PULL},
    {"pull, columns", 0, 0, 64, PULL},
    {"pull, single columns", 0, 0, 1, PULL},
    {"pull, scaled", 0, 0, 64, SCALAY_AT_REMOTE, SCALAY_AT_OWN, STRAIGHT, STRAIGHT, 1, 0},
    {"pull, added", 0, 0, 64, SCALAY_AT_REMOTE, SCALAY_AT_OWN, STRAIGHT, STRAIGHT, 1, 1},
    {"pull, added, nb 1", 1, 0, 64, SCALAY_AT_REMOTE, SCALAY_AT_OWN, STRAIGHT, STRAIGHT, 1, 1},
    {"pull, added, nb 4", 4, 0, 64, SCALAY_AT_REMOTE, SCALAY_AT_OWN, STRAIGHT, STRAIGHT, 1, 1},
    {"transpose, whole", 0, 1, 0, SCALAY_AT_REMOTE, SCALAY_AT_OWN, TRANSPOSED, STRAIGHT, 0, 0},
    {"transpose, 64 columns", 0, 1, 64, SCALAY_AT_REMOTE, SCALAY_AT_OWN, TRANSPOSED, STRAIGHT, 0, 0},
    {"transpose, nb 64", 64, 0, 64, SCALAY_AT_REMOTE, SCALAY_AT_OWN, TRANSPOSED, STRAIGHT, 0, 0},
    {"transpose, nb 4", 4, 0, 4, SCALAY_AT_REMOTE, SCALAY_AT_OWN, TRANSPOSED, STRAIGHT, 0, 0},
    {"transpose, nb 1", 1, 0, 1, SCALAY_AT_REMOTE, SCALAY_AT_OWN, TRANSPOSED, STRAIGHT, 0, 0},
    {"transpose, pack nb 64", 64, 0, 64, SCALAY_AT_OWN, SCALAY_AT_PACKED, TRANSPOSED, STRAIGHT, 0, 0},
    {"transpose, added", 0, 1, 64, SCALAY_AT_REMOTE, SCALAY_AT_OWN, TRANSPOSED, STRAIGHT, 1, 1},
    {"back: transpose, 64 columns", 0, 1, 64, SCALAY_AT_REMOTE, SCALAY_AT_OWN, STRAIGHT, TRANSPOSED, 0, 0},
    {"back: transpose, nb 4", 4, 0, 4, SCALAY_AT_PACKED, SCALAY_AT_OWN, STRAIGHT, TRANSPOSED, 0, 0},
    {"back: transpose, added", 0, 1, 64, SCALAY_AT_REMOTE, SCALAY_AT_OWN, STRAIGHT, TRANSPOSED, 1, 1},
};

typedef struct {
    int64_t rows;
    scalay_common_run *runs, *cols; /* shape [rows] */
    int64_t run_count, col_runs;
    char *from, *to; /* with room for gaps: 2 rows x rows, aligned to a page */
} arena;

static void set_runs(arena *a, const patch_kind *kind)
{
    const int64_t block = kind->block == 0 ? a->rows : kind->block;
    a->run_count = 0;
    for (int64_t first = 0; first < a->rows; first += block) {
        const int64_t count = block < a->rows - first ? block : a->rows - first;
        const int64_t gapped = kind->block == 0 ? first : 2 * first;
        a->runs[a->run_count++] = (scalay_common_run){.index = first,
                                                      .local_a = kind->far_gap ? first : gapped,
                                                      .local_b = kind->far_gap ? gapped : first,
                                                      .count = count};
    }
}

static void set_cols(arena *a, const patch_kind *kind)
{
    const int64_t width = kind->columns == 0 ? a->rows : kind->columns;
    a->col_runs = 0;
    for (int64_t first = 0; first < a->rows; first += width)
        a->cols[a->col_runs++] = (scalay_common_run){.index = first,
                                                     .local_a = first,
                                                     .local_b = first,
                                                     .count = width < a->rows - first ? width : a->rows - first};
}

static scalay_end end_of(const arena *a, char *base, const patch_kind *kind, scalay_run_position places, direction way)
{
    const int gaps = places != SCALAY_AT_PACKED && kind->block != 0 && (places == SCALAY_AT_REMOTE) == kind->far_gap;
    const int64_t ld = way == TRANSPOSED ? a->rows : gaps ? 2 * a->rows : a->rows;
    scalay_end end = {.base = base, .row_stride = 1, .col_stride = ld, .position = places};
    if (way == TRANSPOSED) {
        end.row_stride = ld;
        end.col_stride = 1;
    }
    return end;
}

static double seconds_of(const arena *a, const patch_kind *kind)
{
    scalay_copier copier = scalay_copier_for(SCALAY_DOUBLE);
    copier.scaled = kind->scaled;
    copier.adds = kind->adds;
    copier.alpha[0] = 0.5;
    copier.beta[0] = 0.25;
    if (kind->to == SCALAY_AT_OWN) copier.target_bytes = a->rows * a->rows * (int64_t)sizeof(double);
    const double start = timing_now();
    scalay_block_copy patch = {a->runs,
                               a->cols,
                               a->run_count,
                               a->col_runs,
                               end_of(a, a->from, kind, kind->from, kind->source),
                               end_of(a, a->to, kind, kind->to, kind->target)};
    if (kind->from != SCALAY_AT_PACKED && kind->to != SCALAY_AT_PACKED) {
        scalay_copier_copy_block(&copier, &patch);
        return timing_now() - start;
    }
    patch.col_runs = 1;
    for (int64_t k = 0; k < a->col_runs; k++, patch.cols++) scalay_copier_copy_block(&copier, &patch);
    return timing_now() - start;
}

static double seconds_of_memcpy(const arena *a)
{
    const double start = timing_now();
    memcpy(a->to, a->from, (size_t)(a->rows * a->rows) * sizeof(double));
    return timing_now() - start;
}

static char *page_aligned(int64_t elements, char **owned)
{
    *owned = scalay_allocate(elements + 512, sizeof(double));
    if (*owned == NULL) timing_must(SCALAY_ERROR_MEMORY);
    return *owned + (-(uintptr_t)*owned & 4095);
}

static void print_kind(arena *a, const patch_kind *kind)
{
    double copy[REPEAT], move[REPEAT];
    set_runs(a, kind);
    set_cols(a, kind);
    seconds_of(a, kind);
    for (int k = 0; k < REPEAT; k++) {
        copy[k] = seconds_of_memcpy(a);
        move[k] = seconds_of(a, kind);
    }
    const double memcpy_seconds = timing_median(copy, REPEAT), seconds = timing_median(move, REPEAT);
    printf("%-30s %9.3f %9.2f %9.2f\n", kind->name, seconds * 1e3, 1e-9 * (double)(a->rows * a->rows * 8) / seconds,
           seconds / memcpy_seconds);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    arena a = {.rows = argc > 1 ? atoi(argv[1]) : 2048};
    char *owned[2];
    a.runs = scalay_allocate(a.rows, sizeof *a.runs);
    a.cols = scalay_allocate(a.rows, sizeof *a.cols);
    a.from = page_aligned(2 * a.rows * a.rows + 1, &owned[0]);
    a.to = page_aligned(2 * a.rows * a.rows + 1, &owned[1]);
    if (argc > 2) a.to += atoi(argv[2]);
    memset(a.from, 0, (size_t)(2 * a.rows * a.rows) * sizeof(double));
    memset(a.to, 0, (size_t)(2 * a.rows * a.rows) * sizeof(double));
    timing_print_machine(NULL);
    printf("%-30s %9s %9s %9s\n", "doubles, one thread", "ms", "GB/s", "memcpys");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) print_kind(&a, &kinds[k]);
    scalay_release(a.runs);
    scalay_release(a.cols);
    scalay_release(owned[0]);
    scalay_release(owned[1]);
    return 0;
}
