#ifndef SCALAY_MEASURE_INTERRUPT_H
#define SCALAY_MEASURE_INTERRUPT_H

/** @file Interrupts, as a measurement sees them. */

/** 1 when this process was asked to end its measurement. */
int scalay_interrupt_asked(void);

/** A measurement has obeyed. */
void scalay_interrupt_obey(void);

#endif
