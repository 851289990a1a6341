/* A library that has a routine of ScaLAPACK, as another ScaLAPACK would: preloaded by the test dropin_another. */
#include <stdlib.h>

__attribute__((visibility("default"))) void pdgemm_(void);

void pdgemm_(void)
{
    abort(); /* the program does not multiply */
}
