#ifndef SCALAY_PARALLEL_THREADS_H
#define SCALAY_PARALLEL_THREADS_H

/** @file Threads of the BLAS calls of this process. */

/** Sets the number of threads of BLAS and OpenMP; 0: leaves it unchanged. */
void scalay_set_threads(int threads);

/** Returns the number of threads of a BLAS call; if BLAS does not tell, that of OpenMP. */
int scalay_get_threads(void);

#endif
