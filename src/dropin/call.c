/*
 * Calls by ScaLAPACK's names: arguments are checked and numbered as ScaLAPACK does. What cannot go on ends the program.
 */
#define _POSIX_C_SOURCE 200809L
#include "dropin/call.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>

#include "base/status.h"
#include "parallel/blacs.h"
#include "scalay/context.h"

scalay_status scalay_call_refuse(scalay_call *call, int position, int entry, const char *format, ...)
{
    char text[SCALAY_MESSAGE_SIZE];
    int length = snprintf(text, sizeof text, "%s: ", call->routine);
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text + length, sizeof text - (size_t)length, format, values);
    va_end(values);
    call->code = entry > 0 ? -(100 * position + entry) : -position;
    return scalay_error_set(SCALAY_ERROR_ARGUMENT, text);
}

/* The indices below `extent` that the process holds: NUMROC. */
static int64_t held_below(int64_t extent, int block, int mine, int source, int processes)
{
    const int64_t blocks = extent / block;
    const int distance = (mine - source + processes) % processes;
    int64_t held = blocks / processes * block;
    if (distance < blocks % processes) held += block;
    if (distance == blocks % processes) held += extent % block;
    return held;
}

static int64_t local_rows(const scalay_call_matrix *place, int64_t rows)
{
    return held_below(rows, place->mb, place->myrow, place->rsrc, place->nprow);
}

static int64_t local_cols(const scalay_call_matrix *place, int64_t cols)
{
    return held_below(cols, place->nb, place->mycol, place->csrc, place->npcol);
}

scalay_local_window scalay_local_window_of(const scalay_call_matrix *place, int m, int n)
{
    const scalay_local_window none = {0, 0, 0, 0};
    if (!place->member) return none;
    const scalay_local_window window = {local_rows(place, place->i - 1), local_rows(place, (int64_t)place->i - 1 + m),
                                        local_cols(place, place->j - 1), local_cols(place, (int64_t)place->j - 1 + n)};
    return window;
}

/* An entry of a descriptor must be at least so much. */
static scalay_status check_least(scalay_call *call, const scalay_matrix_argument *matrix, int entry, const char *name,
                                 int least)
{
    if (matrix->desc[entry] >= least) return SCALAY_SUCCESS;
    return scalay_call_refuse(call, matrix->position + 3, entry + 1, "DESC%s(%d) (%s) = %d, but it is at least %d",
                              matrix->name, entry + 1, name, matrix->desc[entry], least);
}

static scalay_status check_source(scalay_call *call, const scalay_matrix_argument *matrix, int entry, const char *name,
                                  int processes)
{
    if (matrix->desc[entry] >= 0 && matrix->desc[entry] < processes) return SCALAY_SUCCESS;
    return scalay_call_refuse(call, matrix->position + 3, entry + 1,
                              "DESC%s(%d) (%s) = %d is outside of its grid; pass 0 to %d", matrix->name, entry + 1,
                              name, matrix->desc[entry], processes - 1);
}

/* DTYPE_ is not looked at: ScaLAPACK does not, and there are programs that leave it to chance. */
static scalay_status check_descriptor(scalay_call *call, const scalay_matrix_argument *matrix,
                                      const scalay_call_matrix *place)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(check_least(call, matrix, M_, "M_", 0));
    SCALAY_TRY(check_least(call, matrix, N_, "N_", 0));
    SCALAY_TRY(check_least(call, matrix, MB_, "MB_", 1));
    SCALAY_TRY(check_least(call, matrix, NB_, "NB_", 1));
    SCALAY_TRY(check_source(call, matrix, RSRC_, "RSRC_", place->nprow));
    SCALAY_TRY(check_source(call, matrix, CSRC_, "CSRC_", place->npcol));
cleanup:
    return status;
}

static scalay_status check_range(scalay_call *call, const char *which, const char *matrix, int position, int first,
                                 int count, int extent)
{
    if (first >= 1 && (int64_t)first - 1 + count <= extent) return SCALAY_SUCCESS;
    return scalay_call_refuse(call, position, 0,
                              "%s%s = %d: %s %d .. %lld are outside of the matrix, which has 1 .. %d", which, matrix,
                              first, which[0] == 'I' ? "rows" : "columns", first, (long long)first - 1 + count, extent);
}

/* What the process holds must fit its array. Without local columns PBLAS takes any leading dimension. */
static scalay_status check_array(scalay_call *call, const scalay_matrix_argument *matrix, scalay_call_matrix *place,
                                 int m, int n)
{
    const int64_t rows = local_rows(place, place->m);
    const scalay_local_window window = scalay_local_window_of(place, m, n);
    if (place->lld < rows && local_cols(place, place->n) > 0)
        return scalay_call_refuse(call, matrix->position + 3, LLD_ + 1,
                                  "DESC%s(9) (LLD_) = %d is less than the %lld local rows; pass max(1, numroc)",
                                  matrix->name, place->lld, (long long)rows);
    if (place->lld < rows) place->lld = (int)rows;
    if (place->lld < 1) place->lld = 1;
    if (matrix->array == NULL && !scalay_local_window_is_empty(&window))
        return scalay_call_refuse(call, matrix->position, 0,
                                  "%s is NULL, but this process holds a part of the submatrix; pass its local array",
                                  matrix->name);
    return SCALAY_SUCCESS;
}

/* Where the process stands in the grid of a matrix, if it does, and everything that is said about the matrix there. */
static scalay_status read_matrix(scalay_call *call, const scalay_matrix_argument *matrix, int m, int n,
                                 scalay_call_matrix *place, int *ctxt)
{
    scalay_status status = SCALAY_SUCCESS;
    int nprow = -1, npcol = -1, myrow = -1, mycol = -1;
    const int *desc = matrix->desc;
    *ctxt = -1;
    if (desc == NULL)
        return scalay_call_refuse(call, matrix->position + 3, 0,
                                  "DESC%s is NULL; outside of a grid, pass a descriptor whose context is -1",
                                  matrix->name);
    if (desc[CTXT_] >= 0) Cblacs_gridinfo(desc[CTXT_], &nprow, &npcol, &myrow, &mycol);
    if (nprow < 1 || myrow < 0 || mycol < 0 || myrow >= nprow || mycol >= npcol) return SCALAY_SUCCESS;
    const scalay_call_matrix read = {1,         nprow,     npcol,       myrow,       mycol,      desc[M_],  desc[N_],
                                     desc[MB_], desc[NB_], desc[RSRC_], desc[CSRC_], desc[LLD_], matrix->i, matrix->j};
    SCALAY_TRY(check_descriptor(call, matrix, &read));
    SCALAY_TRY(check_range(call, "I", matrix->name, matrix->position + 1, matrix->i, m, desc[M_]));
    SCALAY_TRY(check_range(call, "J", matrix->name, matrix->position + 2, matrix->j, n, desc[N_]));
    *place = read;
    SCALAY_TRY(check_array(call, matrix, place, m, n));
    *ctxt = desc[CTXT_];
cleanup:
    return status;
}

static scalay_status check_extent(scalay_call *call, const char *name, int position, int extent)
{
    if (extent >= 0) return SCALAY_SUCCESS;
    return scalay_call_refuse(call, position, 0, "%s = %d, but a submatrix has at least 0 %s", name, extent,
                              name[0] == 'M' ? "rows" : "columns");
}

/* The bytes from the first to the last element that the process holds; equal ends when it holds none. */
static void find_stretch(const void *array, const scalay_call_matrix *place, const scalay_local_window *window,
                         size_t size, uintptr_t *start, uintptr_t *end)
{
    *start = *end = 0;
    if (scalay_local_window_is_empty(window)) return;
    const int64_t first = window->row + window->col * place->lld;
    const int64_t last = window->row_end - 1 + (window->col_end - 1) * place->lld;
    *start = (uintptr_t)array + (size_t)first * size;
    *end = (uintptr_t)array + (size_t)(last + 1) * size;
}

/* ScaLAPACK's routines compute offsets, and products of blocks and processes, as ints. */
static int fits_ints(const scalay_call_matrix *matrix, const scalay_local_window *window)
{
    enum { LARGEST = 1 << 24 };
    if (!matrix->member) return 1;
    return matrix->m <= LARGEST && matrix->n <= LARGEST && matrix->mb <= LARGEST && matrix->nb <= LARGEST &&
           window->col_end * matrix->lld <= INT_MAX;
}

/* The arrays that a plan is executed with: none where the process has no element. */
static void set_arrays(scalay_call *call, const scalay_matrix_argument *a, const scalay_matrix_argument *b)
{
    const scalay_call_key *key = &call->key;
    const int transposed = key->op != SCALAY_NO_TRANSPOSE;
    const size_t size = scalay_type_size(key->type);
    const scalay_local_window from =
        scalay_local_window_of(&key->a, transposed ? key->n : key->m, transposed ? key->m : key->n);
    const scalay_local_window to = scalay_local_window_of(&key->b, key->m, key->n);
    uintptr_t from_start, from_end, to_start, to_end;
    call->operands.a = scalay_local_window_is_empty(&from) ? NULL : a->array;
    call->operands.b = scalay_local_window_is_empty(&to) ? NULL : b->array;
    find_stretch(a->array, &key->a, &from, size, &from_start, &from_end);
    find_stretch(b->array, &key->b, &to, size, &to_start, &to_end);
    call->is_small = fits_ints(&key->a, &from) && fits_ints(&key->b, &to);
    call->apart = from_start == from_end || to_start == to_end || from_end <= to_start || to_end <= from_start;
}

scalay_status scalay_call_read(scalay_call *call, const scalay_matrix_argument *a, const scalay_matrix_argument *b)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_call_key *key = &call->key;
    const int transposed = key->op != SCALAY_NO_TRANSPOSE;
    call->apart = 1;
    SCALAY_TRY(check_extent(call, "M", call->m_position, key->m));
    SCALAY_TRY(check_extent(call, "N", call->m_position + 1, key->n));
    SCALAY_TRY(
        read_matrix(call, a, transposed ? key->n : key->m, transposed ? key->m : key->n, &key->a, &call->ctxt_a));
    SCALAY_TRY(read_matrix(call, b, key->m, key->n, &key->b, &call->ctxt_b));
    set_arrays(call, a, b);
cleanup:
    return status;
}

/* For nanosleep. */

void Cblacs_abort(int ctxt, int code);

void scalay_call_abort(const scalay_call *call)
{
    (void)fflush(stdout);
    const char *message = scalay_error_message();
    const int says_who = strncmp(message, call->routine, strlen(call->routine)) == 0;
    (void)fprintf(stderr, "ScaLAY: %s%s%s\n", says_who ? "" : call->routine, says_who ? "" : ": ", message);
    (void)fflush(stderr);
    /* A launcher may drop what it has not read when a process aborts, as MPICH's does. */
    const struct timespec moment = {.tv_nsec = 100000000};
    (void)nanosleep(&moment, NULL);
    Cblacs_abort(call->ctxt, call->code != 0 ? call->code : 1);
}

void scalay_call_need_all(const scalay_call *call, MPI_Comm mpi, scalay_status status)
{
    int rank = 0, first = INT_MAX;
    MPI_Comm_rank(mpi, &rank);
    int own = status == SCALAY_SUCCESS ? INT_MAX : rank;
    MPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, mpi);
    if (first == INT_MAX) return;
    if (rank != first) MPI_Barrier(mpi); /* never completes: process `first` ends the program */
    scalay_call_abort(call);
}

MPI_Comm scalay_context_communicator(int ctxt)
{
    const int what = BLACS_CONTEXT_COMMUNICATOR;
    int handle = 0;
    blacs_get_(&ctxt, &what, &handle);
    return MPI_Comm_f2c((MPI_Fint)handle);
}

/* ---------------------------------------------------------------------------------------------- next routines */

/* An address, and the file that contains it. */
typedef struct {
    const void *address;
    scalay_loaded_file file;
} wanted_file;

/* Sets the file of an address if it is this one. */
static int compare_file(struct dl_phdr_info *info, size_t size, void *wanted)
{
    wanted_file *w = wanted;
    scalay_loaded_file file = {UINTPTR_MAX, 0, info->dlpi_name};
    (void)size;
    for (int k = 0; k < info->dlpi_phnum; k++) {
        if (info->dlpi_phdr[k].p_type != PT_LOAD) continue;
        const uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[k].p_vaddr, end = begin + info->dlpi_phdr[k].p_memsz;
        if (begin < file.begin) file.begin = begin;
        if (end > file.end) file.end = end;
    }
    if (!scalay_is_in_file(&file, w->address)) return 0;
    w->file = file;
    return 1;
}

/* dladdr() compares all symbols of a file, which takes 10 us in ScaLAPACK. */
scalay_loaded_file scalay_file_of(const void *address)
{
    wanted_file w = {.address = address};
    if (address != NULL) (void)dl_iterate_phdr(compare_file, &w);
    return w.file;
}

int scalay_is_program(const scalay_loaded_file *file)
{
    return scalay_is_in_file(file, (const void *)getauxval(AT_ENTRY)); // NOLINT(performance-no-int-to-ptr)
}

/* Whether an address is a stub of a program that is not position-independent: the program has the symbol, but does not
 * define it. */
static int is_stub(const void *address)
{
    Dl_info info;
    const ElfW(Sym) *entry = NULL;
    return dladdr1(address, &info, (void **)&entry, RTLD_DL_SYMENT) == 0 || entry == NULL ||
           entry->st_shndx == SHN_UNDEF;
}

/* The address of a symbol that a file other than this library defines; NULL: `handle` finds none. A stub calls this
 * library. */
static void *defined_elsewhere(void *handle, const char *symbol)
{
    void *address = dlsym(handle, symbol);
    const scalay_loaded_file file = scalay_file_of(address);
    if (file.begin == file.end || scalay_is_in_file(&file, (const void *)scalay_next_routine)) return NULL;
    return scalay_is_program(&file) && is_stub(address) ? NULL : address;
}

/* The routine that comes first in the program, if it belongs to a ScaLAPACK or to the BLACS. A tool that counts or
 * times calls has a routine of the same name, which calls this library: its file has no routines to describe a matrix
 * or to number processes. */
static void *first_in_program(const char *symbol)
{
    static void *program; /* stays open: opening and closing take microseconds */
    if (program == NULL) program = dlopen(NULL, RTLD_LAZY);
    void *found = program != NULL ? defined_elsewhere(program, symbol) : NULL;
    if (found == NULL) return NULL;
    const scalay_loaded_file file = scalay_file_of(found);
    const int is_scalapack = scalay_is_in_file(&file, dlsym(program, "descinit_")) ||
                             scalay_is_in_file(&file, dlsym(program, "blacs_pinfo_"));
    return is_scalapack ? found : NULL;
}

/* A symbol that is looked for in all files. */
typedef struct {
    const char *symbol;
    void *address;
} wanted_symbol;

/* Looks for a symbol in a file that the program has loaded, also if its symbols are not global. */
static int look_into(struct dl_phdr_info *file, size_t size, void *wanted)
{
    wanted_symbol *w = wanted;
    (void)size;
    void *handle = dlopen(file->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == NULL) return 0;
    w->address = defined_elsewhere(handle, w->symbol);
    (void)dlclose(handle);
    return w->address != NULL;
}

scalay_routine *scalay_next_routine(const char *symbol)
{
    scalay_routine *next = NULL;
    wanted_symbol w = {symbol, first_in_program(symbol)};
    if (w.address == NULL) w.address = dlsym(RTLD_NEXT, symbol);
    if (w.address == NULL) (void)dl_iterate_phdr(look_into, &w);
    memcpy(&next, &w.address, sizeof next);
    return next;
}
