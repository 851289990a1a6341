#ifndef SCALAY_DROPIN_MOVED_ROUTINES_H
#define SCALAY_DROPIN_MOVED_ROUTINES_H

/**
 * @file
 * The list of ScaLAPACK's routines that run on a better layout. BOTH, REAL and COMPLEX are macros of a routine in all
 * four types, in s and d, or in c and z. Their arguments: the name without prefix, the number of arguments, the block
 * size of the target, and the words of the arguments (moved.h).
 *
 * The block sizes are those of ScaLAPACK's least times on 2 processes (docs/benchmarks-dropin.md).
 *
 * p?syevx and its relatives orthogonalise as many vectors on a process as the workspace holds, and ICLUSTR and GAP have
 * an entry per process. The target has as many processes, and the workspace for as many vectors (moved.c).
 */
#define SCALAY_MOVED_ROUTINES(BOTH, REAL, COMPLEX)                                                                     \
    BOTH(gesv, 12, 32, "n r Ann* P> Bnr* .")                                                                           \
    BOTH(posv, 12, 64, "u n r Ann* Bnr* .")                                                                            \
    BOTH(gels, 15, 32, ". m n r Amn* Axr* W .")                                                                        \
    BOTH(getrs, 13, 64, ". n r Ann< P< Bnr* .")                                                                        \
    BOTH(potrs, 12, 64, "u n r Ann< Bnr* .")                                                                           \
    BOTH(getri, 11, 128, "n Ann* P< W I .")                                                                            \
    BOTH(potri, 7, 64, "u n Ann* .")                                                                                   \
    BOTH(trsm, 15, 64, ". u . . m n . Aoo< Amn*")                                                                      \
    REAL(ormqr, 17, 32, ". . m n q Aoq< T< Amn* W .")                                                                  \
    COMPLEX(unmqr, 17, 32, ". . m n q Aoq< T< Amn* W .")                                                               \
    REAL(orgqr, 11, 32, "m n q Amn* T< W .")                                                                           \
    COMPLEX(ungqr, 11, 32, "m n q Amn* T< W .")                                                                        \
    REAL(syev, 15, 32, "j . n Ann* . Ann> W .")                                                                        \
    REAL(syevd, 17, 32, "j . n Ann* . Ann> W! I .")                                                                    \
    REAL(syevr, 24, 32, "j . . n Ann* . . . . . . . Ann+ W I .")                                                       \
    COMPLEX(heev, 17, 32, "j . n Ann* . Ann> W R .")                                                                   \
    COMPLEX(heevd, 19, 32, "j . n Ann* . Ann> W R I .")                                                                \
    COMPLEX(heevr, 26, 32, "j . . n Ann* . . . . . . . Ann+ W R I .")                                                  \
    REAL(syevx, 29, 32, "j . . n Ann* . . . . . . . . . Ann+ W+ I . . . .")                                            \
    COMPLEX(heevx, 31, 32, "j . . n Ann* . . . . . . . . . Ann+ W R+ I . . . .")                                       \
    REAL(sygvx, 34, 32, ". j . . n Ann* Ann* . . . . . . . . . Ann+ W+ I . . . .")                                     \
    COMPLEX(hegvx, 36, 32, ". j . . n Ann* Ann* . . . . . . . . . Ann+ W R+ I . . . .")                                \
    REAL(gesvd, 20, 32, "j j m n Amn* . Amk> Akn> W .")                                                                \
    COMPLEX(gesvd, 21, 32, "j j m n Amn* . Amk> Akn> W . .")

#endif
