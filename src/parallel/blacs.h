#ifndef SCALAY_PARALLEL_BLACS_H
#define SCALAY_PARALLEL_BLACS_H

/** @file Prototypes of the BLACS functions that the library calls. The BLACS have no header. */

#include <mpi.h>

/* The Fortran interface returns the MPI communicator itself, as a Fortran handle. The C interface returns an entry of a
   table that the program may hold, too. */
void blacs_get_(const int *ctxt, const int *what, int *value);
enum { BLACS_CONTEXT_COMMUNICATOR = 10 }; /* `what`: the communicator of a context; rank of (r, c): r * npcol + c */

int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);
void Cblacs_gridmap(int *ctxt, int *ranks, int ld, int nprow, int npcol);
void Cblacs_gridinfo(int ctxt, int *nprow, int *npcol, int *myrow, int *mycol);
void Cblacs_gridexit(int ctxt);

void Cigesd2d(int ctxt, int m, int n, int *a, int lda, int rdest, int cdest);
void Csgesd2d(int ctxt, int m, int n, float *a, int lda, int rdest, int cdest);
void Cdgesd2d(int ctxt, int m, int n, double *a, int lda, int rdest, int cdest);
void Ccgesd2d(int ctxt, int m, int n, float *a, int lda, int rdest, int cdest);
void Czgesd2d(int ctxt, int m, int n, double *a, int lda, int rdest, int cdest);
void Cigerv2d(int ctxt, int m, int n, int *a, int lda, int rsrc, int csrc);
void Csgerv2d(int ctxt, int m, int n, float *a, int lda, int rsrc, int csrc);
void Cdgerv2d(int ctxt, int m, int n, double *a, int lda, int rsrc, int csrc);
void Ccgerv2d(int ctxt, int m, int n, float *a, int lda, int rsrc, int csrc);
void Czgerv2d(int ctxt, int m, int n, double *a, int lda, int rsrc, int csrc);

/** Entries of a ScaLAPACK array descriptor of type 1 (dense), 0-based. */
enum { DTYPE_ = 0, CTXT_ = 1, M_ = 2, N_ = 3, MB_ = 4, NB_ = 5, RSRC_ = 6, CSRC_ = 7, LLD_ = 8, DLEN_ = 9 };

#endif
