#ifndef SCALAY_DROPIN_NEXT_H
#define SCALAY_DROPIN_NEXT_H

/** @file ScaLAPACK's own routines of the names that the library has. */

/** Any function; converted to its type by the caller. */
typedef void scalay_routine(void);

/** The routine ("pdtran_") that the program would call without this library; NULL when there is none. */
scalay_routine *scalay_next_routine(const char *symbol);

#endif
