/* p?gemr2d and p?trmr2d, under ScaLAPACK's names and with the prefix scalay_. */

#include "dropin/answer.h"
#include "dropin/last_call.h"
#include "scalay/scalapack.h"

/* The C functions of ScaLAPACK. Its Fortran routines call them by name, so the name must not lead to this library. */
typedef void copy_function(int, int, const void *, int, int, const int *, void *, int, int, const int *, int);
typedef void trapezoid_function(const char *, const char *, int, int, const void *, int, int, const int *, void *, int,
                                int, const int *, int);

/* A routine of one type. */
typedef struct {
    const char *name;   /* "pdgemr2d" */
    const char *symbol; /* of ScaLAPACK's C function */
    scalay_type type;
    int has_next;         /* 1: `next` is known */
    scalay_routine *next; /* ScaLAPACK's C function; NULL: not found */
} copy_routine;

/* Arguments of a call. uplo is NULL for p?gemr2d. */
typedef struct {
    copy_routine *routine;
    const char *uplo, *diag;
    int m, n, ctxt;
    scalay_matrix_argument a, b;
} copy_arguments;

static scalay_routine *next_of(copy_routine *routine)
{
    if (!routine->has_next) {
        routine->next = scalay_next_routine(routine->symbol);
        routine->has_next = 1;
    }
    return routine->next;
}

static void leave(const void *arguments)
{
    const copy_arguments *x = arguments;
    scalay_routine *next = next_of(x->routine);
    if (x->uplo == NULL)
        ((copy_function *)next)(x->m, x->n, x->a.array, x->a.i, x->a.j, x->a.desc, x->b.array, x->b.i, x->b.j,
                                x->b.desc, x->ctxt);
    else
        ((trapezoid_function *)next)(x->uplo, x->diag, x->m, x->n, x->a.array, x->a.i, x->a.j, x->a.desc, x->b.array,
                                     x->b.i, x->b.j, x->b.desc, x->ctxt);
}

/* Returns 0 for the first and 1 for the second of two letters, in either case; -1 for others. */
static int find_letter(char letter, const char *two)
{
    for (int k = 0; k < 2; k++)
        if (letter == two[k] || letter == two[k] - 'A' + 'a') return k;
    return -1;
}

/* A printable form of a character. */
static char shown(char letter)
{
    return letter >= ' ' && letter <= '~' ? letter : '?';
}

static scalay_status read_trapezoid(scalay_call *call, char uplo, char diag)
{
    const int part = find_letter(uplo, "UL"), unit = find_letter(diag, "NU");
    if (part < 0) return scalay_call_refuse(call, 1, 0, "UPLO = '%c'; pass 'U' (upper) or 'L' (lower)", shown(uplo));
    if (unit < 0)
        return scalay_call_refuse(call, 2, 0, "DIAG = '%c'; pass 'N' (copy the diagonal) or 'U' (leave it)",
                                  shown(diag));
    call->key.uplo = part == 0 ? SCALAY_UPPER : SCALAY_LOWER;
    call->key.diag = unit == 0 ? SCALAY_NON_UNIT : SCALAY_UNIT;
    return SCALAY_SUCCESS;
}

static void answer(const copy_arguments *x)
{
    const int first = x->uplo == NULL ? 1 : 3; /* position of m */
    scalay_status status = SCALAY_SUCCESS;
    if (x->m == 0 || x->n == 0) return;
    scalay_call call = {.routine = x->routine->name, .ctxt = x->ctxt, .m_position = first, .ctxt_position = first + 10};
    call.key = (scalay_call_key){.type = x->routine->type, .m = x->m, .n = x->n};
    if (next_of(x->routine) != NULL) {
        call.leave = leave;
        call.arguments = x;
    }
    if (x->uplo != NULL) status = read_trapezoid(&call, *x->uplo, *x->diag);
    if (status == SCALAY_SUCCESS) status = scalay_call_read(&call, &x->a, &x->b);
    scalay_call_answer(&call, status);
}

/* A call by ScaLAPACK's name. */
static void answer_or_leave(const copy_arguments *x)
{
    scalay_last_call_begin(x->routine->name);
    if (scalay_is_answered(x->routine->name) || next_of(x->routine) == NULL)
        answer(x);
    else
        leave(x);
    scalay_last_call_end();
}

#define ELEMENT float
#define TYPE SCALAY_FLOAT
#define LETTER s
#include "dropin/moves_worker.h"

#define ELEMENT double
#define TYPE SCALAY_DOUBLE
#define LETTER d
#include "dropin/moves_worker.h"

#define ELEMENT float
#define TYPE SCALAY_COMPLEX_FLOAT
#define LETTER c
#include "dropin/moves_worker.h"

#define ELEMENT double
#define TYPE SCALAY_COMPLEX_DOUBLE
#define LETTER z
#include "dropin/moves_worker.h"

#define ELEMENT int
#define TYPE SCALAY_INT
#define LETTER i
#include "dropin/moves_worker.h"
