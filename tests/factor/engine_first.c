/* QR, LU and Cholesky of a 40 x 40 matrix of 8 x 8 tiles that are dealt to all ranks: LAPACK's factors. */
#include "factor/engine_problem.h"

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int kind = SCALAY_FACTOR_QR; kind <= SCALAY_FACTOR_CHOLESKY; kind++) {
        int owner[25];
        problem p = {
            (scalay_factor_kind)kind, SCALAY_DOUBLE, 40, 40, 8, check_size(), -1, 1, owner, NULL, NULL, 0, NULL, 0};
        for (int t = 0; t < 25; t++) owner[t] = t % check_size();
        outcome o;
        CHECK_STATUS(problem_run(&p, 1, &o), SCALAY_SUCCESS);
        CHECK(problem_compare(&p, &o) <= 1e-12);
        CHECK(o.untouched);
        outcome_free(&o);
    }
    return check_verdict();
}
