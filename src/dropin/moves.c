/* p?gemr2d and p?trmr2d. */

#include "dropin/answer.h"
#include "scalay/scalapack.h"

static void copy(const char *routine, scalay_type type, int m, int n, const scalay_matrix_argument *a,
                 const scalay_matrix_argument *b, int ctxt)
{
    if (m == 0 || n == 0) return;
    scalay_call call = {.routine = routine, .ctxt = ctxt, .m_position = 1, .ctxt_position = 11};
    call.key = (scalay_call_key){.type = type, .m = m, .n = n};
    scalay_call_answer(&call, scalay_call_read(&call, a, b));
}

/* What a letter of UPLO or DIAG means: 0 or 1 for the first and second of the two, in either case; -1 for others. */
static int find_letter(char letter, const char *two)
{
    for (int k = 0; k < 2; k++)
        if (letter == two[k] || letter == two[k] - 'A' + 'a') return k;
    return -1;
}

/* A character as a message shows it. */
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

static void copy_trapezoid(const char *routine, scalay_type type, char uplo, char diag, int m, int n,
                           const scalay_matrix_argument *a, const scalay_matrix_argument *b, int ctxt)
{
    if (m == 0 || n == 0) return;
    scalay_call call = {.routine = routine, .ctxt = ctxt, .m_position = 3, .ctxt_position = 13};
    call.key = (scalay_call_key){.type = type, .m = m, .n = n};
    scalay_status status = read_trapezoid(&call, uplo, diag);
    if (status == SCALAY_SUCCESS) status = scalay_call_read(&call, a, b);
    scalay_call_answer(&call, status);
}

#define ELEMENT float
#define TYPE SCALAY_FLOAT
#define COPY psgemr2d_
#define C_COPY Cpsgemr2d
#define COPY_NAME "psgemr2d"
#define COPY_TRAPEZOID pstrmr2d_
#define C_COPY_TRAPEZOID Cpstrmr2d
#define TRAPEZOID_NAME "pstrmr2d"
#include "dropin/moves_worker.h"

#define ELEMENT double
#define TYPE SCALAY_DOUBLE
#define COPY pdgemr2d_
#define C_COPY Cpdgemr2d
#define COPY_NAME "pdgemr2d"
#define COPY_TRAPEZOID pdtrmr2d_
#define C_COPY_TRAPEZOID Cpdtrmr2d
#define TRAPEZOID_NAME "pdtrmr2d"
#include "dropin/moves_worker.h"

#define ELEMENT float
#define TYPE SCALAY_COMPLEX_FLOAT
#define COPY pcgemr2d_
#define C_COPY Cpcgemr2d
#define COPY_NAME "pcgemr2d"
#define COPY_TRAPEZOID pctrmr2d_
#define C_COPY_TRAPEZOID Cpctrmr2d
#define TRAPEZOID_NAME "pctrmr2d"
#include "dropin/moves_worker.h"

#define ELEMENT double
#define TYPE SCALAY_COMPLEX_DOUBLE
#define COPY pzgemr2d_
#define C_COPY Cpzgemr2d
#define COPY_NAME "pzgemr2d"
#define COPY_TRAPEZOID pztrmr2d_
#define C_COPY_TRAPEZOID Cpztrmr2d
#define TRAPEZOID_NAME "pztrmr2d"
#include "dropin/moves_worker.h"

#define ELEMENT int
#define TYPE SCALAY_INT
#define COPY pigemr2d_
#define C_COPY Cpigemr2d
#define COPY_NAME "pigemr2d"
#define COPY_TRAPEZOID pitrmr2d_
#define C_COPY_TRAPEZOID Cpitrmr2d
#define TRAPEZOID_NAME "pitrmr2d"
#include "dropin/moves_worker.h"
