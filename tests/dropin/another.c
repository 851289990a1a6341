/* A library that has routines of ScaLAPACK, as another ScaLAPACK would: preloaded by the test dropin_another. */
#include <stdlib.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void pdgemm_(void);
EXPORTED void descinit_(int *desc, const int *m, const int *n, const int *mb, const int *nb, const int *rsrc,
                        const int *csrc, const int *ctxt, const int *lld, int *info);

void pdgemm_(void)
{
    abort(); /* the program does not multiply */
}

void descinit_(int *desc, const int *m, const int *n, const int *mb, const int *nb, const int *rsrc, const int *csrc,
               const int *ctxt, const int *lld, int *info)
{
    const int entries[] = {1, *ctxt, *m, *n, *mb, *nb, *rsrc, *csrc, *lld};
    for (int k = 0; k < 9; k++) desc[k] = entries[k];
    *info = 0;
}
