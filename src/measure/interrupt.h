#ifndef SCALAY_MEASURE_INTERRUPT_H
#define SCALAY_MEASURE_INTERRUPT_H

/** @file Interrupt requests, for functions that measure. */

/** Returns 1 if an interrupt was requested on this process. */
int scalay_interrupt_requested(void);

/** Clears the request, after a measurement has ended because of it. */
void scalay_interrupt_clear(void);

#endif
