C     Step 0 of docs/tutorial.md: a least squares solver as it is, with
C     ScaLAPACK alone. Process k holds the k-th slab of rows of A, as it
C     read them from its own file. One process column, so that NB only
C     has to fit MB. min || A x - b || by A = Q R.
      PROGRAM FIT
      IMPLICIT NONE
      INTEGER MMAX, NMAX, LWORK
      PARAMETER (MMAX = 2400, NMAX = 1200, LWORK = 3 * MMAX * MMAX)
      INTEGER M, N, RANK, P, CTXT, NPROW, NPCOL, ROW, COL, MB, LR, LLD
      INTEGER DESCA(9), DESCB(9), INFO, NUMROC
      DOUBLE PRECISION A(MMAX * NMAX), B(MMAX), TAU(NMAX), WORK(LWORK)
      DOUBLE PRECISION T0, T1, MPI_WTIME
      EXTERNAL NUMROC, MPI_WTIME

      CALL SIZES(M, N, MMAX, NMAX)
      CALL BLACS_PINFO(RANK, P)
      CALL BLACS_GET(-1, 0, CTXT)
      CALL BLACS_GRIDINIT(CTXT, 'Col', P, 1)
      CALL BLACS_GRIDINFO(CTXT, NPROW, NPCOL, ROW, COL)
      MB = (M + P - 1) / P
      LR = NUMROC(M, MB, ROW, 0, P)
      LLD = MAX(1, LR)
      CALL DESCINIT(DESCA, M, N, MB, MB, 0, 0, CTXT, LLD, INFO)
      CALL DESCINIT(DESCB, M, 1, MB, 1, 0, 0, CTXT, LLD, INFO)
      CALL FILL(A, B, LLD, LR, N, ROW * MB)

      T0 = MPI_WTIME()
      CALL PDGEQRF(M, N, A, 1, 1, DESCA, TAU, WORK, LWORK, INFO)
      T1 = MPI_WTIME()
      CALL PDORMQR('L', 'T', M, 1, N, A, 1, 1, DESCA, TAU, B, 1, 1,
     $   DESCB, WORK, LWORK, INFO)
      CALL PDTRTRS('U', 'N', 'N', N, 1, A, 1, 1, DESCA, B, 1, 1, DESCB,
     $   INFO)
      IF (RANK .EQ. 0) WRITE (*, '(A, F9.6, A)') 'pdgeqrf took ',
     $   T1 - T0, ' s'
      CALL CHECK(B, LR, N, ROW * MB, CTXT, RANK)
      CALL BLACS_GRIDEXIT(CTXT)
      CALL BLACS_EXIT(0)
      END

C     M and N: arguments of the command, 600 and 300 by default
      SUBROUTINE SIZES(M, N, MMAX, NMAX)
      IMPLICIT NONE
      INTEGER M, N, MMAX, NMAX
      CHARACTER*16 TEXT
      M = 600
      N = 300
      CALL GET_COMMAND_ARGUMENT(1, TEXT)
      IF (TEXT .NE. ' ') READ (TEXT, *) M
      CALL GET_COMMAND_ARGUMENT(2, TEXT)
      IF (TEXT .NE. ' ') READ (TEXT, *) N
      IF (M .GT. MMAX .OR. N .GT. NMAX .OR. N .GT. M) STOP 2
      END

C     A: cosines; b = A x with x = 1.
      SUBROUTINE FILL(A, B, LLD, LR, N, FIRST)
      IMPLICIT NONE
      INTEGER LLD, LR, N, FIRST, I, J
      DOUBLE PRECISION A(LLD, N), B(LLD)
      DO 10 I = 1, LR
         B(I) = 0D0
   10 CONTINUE
      DO 30 J = 1, N
         DO 20 I = 1, LR
            A(I, J) = COS(0.7D0 * (FIRST + I) * J + 0.3D0 * J * J)
            B(I) = B(I) + A(I, J)
   20    CONTINUE
   30 CONTINUE
      END

C     The first N elements of b are x now; each is 1.
      SUBROUTINE CHECK(B, LR, N, FIRST, CTXT, RANK)
      IMPLICIT NONE
      INTEGER LR, N, FIRST, CTXT, RANK, I
      DOUBLE PRECISION B(LR), ERROR(1)
      ERROR(1) = 0D0
      DO 10 I = 1, MIN(LR, N - FIRST)
         ERROR(1) = MAX(ERROR(1), ABS(B(I) - 1D0))
   10 CONTINUE
      CALL DGAMX2D(CTXT, 'All', ' ', 1, 1, ERROR, 1, I, I, -1, -1, 0)
      IF (RANK .EQ. 0) WRITE (*, '(A, ES9.2)') 'largest error of x ',
     $   ERROR(1)
      IF (ERROR(1) .GT. 1D-6) STOP 1
      END
