/* Whether the library is in use: the argument says whether it should be. */

#include <stdlib.h>

#include "scalay/scalapack.h"

int main(int argc, char **argv)
{
    const int expected = argc > 1 ? atoi(argv[1]) : 1;
    return scalay_scalapack_active() == expected && scalay_scalapack_active_() == expected ? 0 : 1;
}
