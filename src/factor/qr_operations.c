#include "factor/qr_operations.h"

#include "base/integer.h"
#include "factor/qr_typed.h"

const scalay_qr_operations *scalay_qr_operations_of(scalay_type type)
{
    static const scalay_qr_operations *const table[] = {[SCALAY_FLOAT] = &scalay_qr_operations_s,
                                                        [SCALAY_DOUBLE] = &scalay_qr_operations_d,
                                                        [SCALAY_COMPLEX_FLOAT] = &scalay_qr_operations_c,
                                                        [SCALAY_COMPLEX_DOUBLE] = &scalay_qr_operations_z};
    return type >= SCALAY_FLOAT && type <= SCALAY_COMPLEX_DOUBLE ? table[type] : NULL;
}

int64_t scalay_qr_workspace(int nb, int local_rows, int local_cols)
{
    /* p?geqrf and p?orgqr: nb (mp + nq + nb). p?ormqr: max(nb (nb - 1) / 2, nb (mp + nq)) + nb nb. */
    const int64_t block = nb;
    int64_t panels = block * ((int64_t)local_rows + local_cols);
    return scalay_max_int64(block * (block - 1) / 2, panels) + block * block;
}
