C     A Fortran 77 program that does not use ScaLAY. PDTRAN transposes a
C     matrix in strips of rows, PDGEMR2D moves it to a 2 x 2 grid, and
C     PDTRMR2D moves its upper triangle back. The test suite runs it
C     with ScaLAPACK alone, with scalay-run, and relinked with
C     -lscalay_scalapack before ScaLAPACK. remap_ported.f90 does the
C     same with plans.
      PROGRAM REMAP
      IMPLICIT NONE
      INTEGER N, NB, NBB, LMAX
      PARAMETER (N = 96, NB = 3, NBB = 16, LMAX = N * N)
      DOUBLE PRECISION A(LMAX), T(LMAX), B(LMAX)
      INTEGER RANK, P, STRIPS, SQUARE, ROW, COL, NPROW, NPCOL, LR, INFO
      INTEGER DESCA(9), DESCB(9), WRONG
      INTEGER NUMROC
      EXTERNAL NUMROC

      CALL BLACS_PINFO(RANK, P)
      CALL BLACS_GET(-1, 0, STRIPS)
      CALL BLACS_GRIDINIT(STRIPS, 'Col', 4, 1)
      CALL BLACS_GET(-1, 0, SQUARE)
      CALL BLACS_GRIDINIT(SQUARE, 'Row', 2, 2)

      CALL BLACS_GRIDINFO(SQUARE, NPROW, NPCOL, ROW, COL)
      LR = NUMROC(N, NBB, ROW, 0, 2)
      CALL DESCINIT(DESCB, N, N, NBB, NBB, 0, 0, SQUARE, MAX(1, LR),
     $   INFO)
      CALL BLACS_GRIDINFO(STRIPS, NPROW, NPCOL, ROW, COL)
      LR = NUMROC(N, NB, ROW, 0, 4)
      CALL DESCINIT(DESCA, N, N, NB, NB, 0, 0, STRIPS, MAX(1, LR),
     $   INFO)
      CALL FILL(A, LR, N, NB, ROW)

      CALL PDTRAN(N, N, 1D0, A, 1, 1, DESCA, 0D0, T, 1, 1, DESCA)
      CALL PDGEMR2D(N, N, T, 1, 1, DESCA, B, 1, 1, DESCB, STRIPS)
      CALL PDTRMR2D('U', 'N', N, N, B, 1, 1, DESCB, A, 1, 1, DESCA,
     $   STRIPS)

C     The upper triangle is that of the transposed matrix. The rest
C     is unchanged.
      CALL COMPARE(A, LR, N, NB, ROW, WRONG)
      IF (WRONG .GT. 0) PRINT *, 'wrong on process ', RANK, ': ', WRONG
      IF (WRONG .EQ. 0 .AND. RANK .EQ. 0) PRINT *, 'all is well'
      CALL BLACS_GRIDEXIT(SQUARE)
      CALL BLACS_GRIDEXIT(STRIPS)
      CALL BLACS_EXIT(0)
      IF (WRONG .GT. 0) STOP 1
      END

      SUBROUTINE FILL(A, LR, LC, NB, ROW)
      IMPLICIT NONE
      INTEGER LR, LC, NB, ROW, I, J, INDXL2G
      DOUBLE PRECISION A(LR, LC)
      EXTERNAL INDXL2G
      DO 20 J = 1, LC
         DO 10 I = 1, LR
            A(I, J) = INDXL2G(I, NB, ROW, 0, 4) + 1000D0 * J
   10    CONTINUE
   20 CONTINUE
      END

      SUBROUTINE COMPARE(A, LR, LC, NB, ROW, WRONG)
      IMPLICIT NONE
      INTEGER LR, LC, NB, ROW, WRONG, I, J, G, INDXL2G
      DOUBLE PRECISION A(LR, LC), VALUE
      EXTERNAL INDXL2G
      WRONG = 0
      DO 20 J = 1, LC
         DO 10 I = 1, LR
            G = INDXL2G(I, NB, ROW, 0, 4)
            VALUE = G + 1000D0 * J
            IF (G .LE. J) VALUE = J + 1000D0 * G
            IF (A(I, J) .NE. VALUE) WRONG = WRONG + 1
   10    CONTINUE
   20 CONTINUE
      END
