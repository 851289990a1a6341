C     A least squares solver as it was written before modules: one
C     COMMON block of memory, arrays at offsets in it, a grid of the
C     processes of a communicator. PDGEQRF has been replaced by
C     SCALAY_PDGEQRF; PDORMQR and PDTRSM continue with A and TAU.
C     The matrix is a submatrix: IA = 3, JA = 5.
      PROGRAM LSTSQR
      USE MPI
      USE SCALAY
      IMPLICIT NONE
      INTEGER M, N, MB, NB, IA, JA, MEMSIZ
      PARAMETER (M = 37, N = 21, MB = 4, NB = 3, IA = 3, JA = 5)
      PARAMETER (MEMSIZ = 200000)
      DOUBLE PRECISION MEM(MEMSIZ)
      COMMON /BIG/ MEM
      TYPE(SCALAY_COMM) COMM
      TYPE(SCALAY_LAYOUT) WHOLE, LAYOUT
      INTEGER IERR, IAM, NPROCS, ICTXT, NPROW, NPCOL, MYROW, MYCOL
      INTEGER LOCR, LOCC, IPA, IPTAU, IPB, IPW, LWORK, INFO
      INTEGER DESCA(9), DESCB(9)
      INTEGER NUMROC
      EXTERNAL NUMROC
      DOUBLE PRECISION WORST
C
      CALL MPI_INIT(IERR)
      CALL BLACS_PINFO(IAM, NPROCS)
      NPROW = 1
      IF (NPROCS .GE. 4) NPROW = 2
      NPCOL = NPROCS / NPROW
      CALL BLACS_GET(-1, 0, ICTXT)
      CALL BLACS_GRIDINIT(ICTXT, 'C', NPROW, NPCOL)
      CALL BLACS_GRIDINFO(ICTXT, NPROW, NPCOL, MYROW, MYCOL)
C     Processes outside of the grid have no descriptor, as ever.
      DESCA(2) = -1
      LOCR = 0
      LOCC = 0
      IF (MYROW .GE. 0) THEN
         LOCR = NUMROC(M+IA-1, MB, MYROW, 0, NPROW)
         LOCC = NUMROC(N+JA-1, NB, MYCOL, 0, NPCOL)
         CALL DESCINIT(DESCA, M+IA-1, N+JA-1, MB, NB, 0, 0, ICTXT,
     $                 MAX(1, LOCR), INFO)
         CALL DESCINIT(DESCB, M+IA-1, 1, MB, 1, 0, 0, ICTXT,
     $                 MAX(1, LOCR), INFO)
      END IF
C     Offsets: A, TAU, B and workspace, with guards after TAU.
      IPA = 1
      IPTAU = IPA + MAX(1, LOCR) * MAX(1, LOCC)
      IPB = IPTAU + LOCC + 8
      IPW = IPB + MAX(1, LOCR)
      LWORK = MEMSIZ - IPW + 1
      CALL FILL(DESCA, MYROW, MYCOL, NPROW, NPCOL, MEM(IPA), MEM(IPB))
      CALL GUARD(MEM(IPTAU), LOCC + 8)
C
      CALL COMM%CREATE(MPI_COMM_WORLD)
      CALL WHOLE%FROM_DESC(COMM, DESCA)
      CALL WHOLE%SUBMATRIX(IA, JA, M, N, LAYOUT)
      CALL SCALAY_PDGEQRF(COMM, LAYOUT, MEM(IPA), MEM(IPTAU))
      CALL LAYOUT%DESTROY()
      CALL WHOLE%DESTROY()
      CALL COMM%DESTROY()
C
      CALL CHKGRD(MEM(IPTAU), LOCC, 8)
      IF (MYROW .GE. 0) THEN
         CALL PDORMQR('L', 'T', M, 1, N, MEM(IPA), IA, JA, DESCA,
     $                MEM(IPTAU), MEM(IPB), IA, 1, DESCB, MEM(IPW),
     $                LWORK, INFO)
         IF (INFO .NE. 0) ERROR STOP 'PDORMQR'
         CALL PDTRSM('L', 'U', 'N', 'N', N, 1, 1D0, MEM(IPA), IA, JA,
     $               DESCA, MEM(IPB), IA, 1, DESCB)
         CALL CHKSOL(MYROW, MYCOL, NPROW, MEM(IPB), WORST)
         IF (WORST .GT. 1D-9) ERROR STOP 'the solution is wrong'
         CALL BLACS_GRIDEXIT(ICTXT)
      END IF
      IF (IAM .EQ. 0) PRINT *, 'least squares: solved'
      CALL BLACS_EXIT(1)
      CALL MPI_FINALIZE(IERR)
C
      CONTAINS
C
C     A(I, J) = 1 / (1 + |I - J|) + 3 on the diagonal; B = A (1 .. N).
      DOUBLE PRECISION FUNCTION AIJ(I, J)
      INTEGER I, J
      AIJ = 1D0 / (1 + ABS(I - J))
      IF (I .EQ. J) AIJ = AIJ + 3
      END FUNCTION AIJ
C
      SUBROUTINE FILL(DESC, ROW, COL, ROWS, COLS, A, B)
      INTEGER DESC(9), ROW, COL, ROWS, COLS, I, J, LI, LJ, K
      DOUBLE PRECISION A(*), B(*)
      IF (ROW .LT. 0) RETURN
      DO J = 1, N + JA - 1
         DO I = 1, M + IA - 1
            IF (MOD((I-1)/MB, ROWS) .NE. ROW) CYCLE
            LI = (I-1) / (MB*ROWS) * MB + MOD(I-1, MB) + 1
            IF (J .EQ. 1 .AND. COL .EQ. 0) THEN
               B(LI) = -1
               IF (I .GE. IA) B(LI) = 0
               DO K = 1, N
                  IF (I .GE. IA) B(LI) = B(LI) + AIJ(I-IA+1, K) * K
               END DO
            END IF
            IF (MOD((J-1)/NB, COLS) .NE. COL) CYCLE
            LJ = (J-1) / (NB*COLS) * NB + MOD(J-1, NB) + 1
            A(LI + (LJ-1) * DESC(9)) = -7
            IF (I .GE. IA .AND. J .GE. JA)
     $         A(LI + (LJ-1) * DESC(9)) = AIJ(I-IA+1, J-JA+1)
         END DO
      END DO
      END SUBROUTINE FILL
C
      SUBROUTINE GUARD(X, K)
      INTEGER K
      DOUBLE PRECISION X(*)
      X(1:K) = -99
      END SUBROUTINE GUARD
C
C     Entries before column JA and after the last one are untouched.
      SUBROUTINE CHKGRD(X, K, EXTRA)
      INTEGER K, EXTRA, J
      DOUBLE PRECISION X(*)
      DO J = K + 1, K + EXTRA
         IF (X(J) .NE. -99) ERROR STOP 'TAU was written beyond its end'
      END DO
      IF (MYCOL .EQ. 0 .AND. K .GE. 1) THEN
         IF (X(1) .NE. -99) ERROR STOP 'TAU was written before JA'
      END IF
      END SUBROUTINE CHKGRD
C
      SUBROUTINE CHKSOL(ROW, COL, ROWS, B, WORST)
      INTEGER ROW, COL, ROWS, I, LI, K
      DOUBLE PRECISION B(*), WORST
      WORST = 0
      DO K = 1, N
         I = K + IA - 1
         IF (COL .NE. 0 .OR. MOD((I-1)/MB, ROWS) .NE. ROW) CYCLE
         LI = (I-1) / (MB*ROWS) * MB + MOD(I-1, MB) + 1
         WORST = MAX(WORST, ABS(B(LI) - K))
      END DO
      END SUBROUTINE CHKSOL
      END PROGRAM LSTSQR
