C     The F77-style entry points: the whole job, and handles, letters
C     and names that are wrong.
      PROGRAM F77
      USE CHECK_MODULE, ONLY: CHECK, CHECK_VERDICT
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER COMM, INFO, RANK, P, ERROR
      CALL MPI_INIT(ERROR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, ERROR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, P, ERROR)
      CALL SCALAY_COMM_CREATE(MPI_COMM_WORLD, COMM, INFO)
      CALL CHECK(INFO .EQ. 0 .AND. COMM .NE. 0, 'communicator')
      CALL THERE_AND_BACK(COMM, RANK, P)
      CALL TURN_AND_SCALE(COMM, RANK, P)
      CALL MOVE_INTEGERS(COMM, RANK, P)
      CALL FACTORISATIONS(COMM, RANK, P)
      CALL WRONG_HANDLES(COMM, RANK, P)
      CALL WRONG_WORDS(COMM)
      CALL MANY_HANDLES
      CALL SCALAY_COMM_DESTROY(COMM, INFO)
      CALL CHECK(INFO .EQ. 0 .AND. COMM .EQ. 0, 'destroyed')
      CALL SCALAY_COMM_DESTROY(COMM, INFO)
      CALL CHECK(INFO .EQ. 0, 'nothing to destroy')
      CALL SCALAY_COMM_CREATE(MPI_COMM_NULL, COMM, INFO)
      CALL CHECK(INFO .EQ. 1 .AND. COMM .EQ. 0, 'MPI_COMM_NULL')
      CALL CHECK_VERDICT
      END

C     Column blocks on 1 x P go to row blocks on P x 1, by every way
C     there is.
      SUBROUTINE THERE_AND_BACK(COMM, RANK, P)
      USE CHECK_MODULE, ONLY: CHECK
      IMPLICIT NONE
      INTEGER COMM, RANK, P, SRC, TGT, MAP, PLAN, INFO, K, CTXT
      INTEGER DESC(9), M, N, NPROW, NPCOL, ROW, COL, I, J, SIZE, AGAIN
      INTEGER EATER
      PARAMETER (M = 12, N = 12)
      DOUBLE PRECISION A(M * N), B(M * N)
      LOGICAL GOOD
      CALL SCALAY_LAYOUT_BLOCK_CYCLIC(M, N, 1, 1, 1, P, 0, 0, 'row',
     $   SRC, INFO)
      CALL CHECK(INFO .EQ. 0, 'source')
      CALL SCALAY_LAYOUT_BLOCK_CYCLIC(M, N, 1, 1, P, 1, 0, 0, 'C',
     $   TGT, INFO)
      CALL CHECK(INFO .EQ. 0, 'target')
      CALL SCALAY_MAPPING_CREATE(SRC, TGT, 'Volume  ', MAP, INFO)
      CALL CHECK(INFO .EQ. 0, 'mapping')
      CALL SCALAY_GRID_CREATE(COMM, TGT, MAP, CTXT, DESC, INFO)
      CALL CHECK(INFO .EQ. 0, 'grid')
      CALL SCALAY_PLAN_CREATE(COMM, SRC, TGT, MAP, 'd', PLAN, INFO)
      CALL CHECK(INFO .EQ. 0, 'plan')
      CALL SCALAY_LAYOUT_LOCAL_SIZE(SRC, RANK, SIZE, INFO)
      CALL CHECK(INFO .EQ. 0 .AND. SIZE .EQ. M * (N / P), 'size')
      DO 10 K = 1, SIZE
         A(K) = 100 * (1 + MOD(K - 1, M)) + RANK + 1 + P * ((K - 1) / M)
   10 CONTINUE

      CALL SCALAY_PLAN_EXECUTE(PLAN, A, B, INFO)
      CALL CHECK(INFO .EQ. 0, 'execute')
      CALL BLACS_GRIDINFO(CTXT, NPROW, NPCOL, ROW, COL)
      GOOD = .TRUE.
      DO 30 J = 1, N
         DO 20 I = 1, M / P
            GOOD = GOOD .AND. NINT(B(I + (J - 1) * DESC(9))) .EQ.
     $         100 * (ROW + 1 + P * (I - 1)) + J
   20    CONTINUE
   30 CONTINUE
      CALL CHECK(GOOD, 'what the permuted grid holds')

      DO 40 K = 1, SIZE
         A(K) = -1
   40 CONTINUE
      CALL SCALAY_PLAN_EXECUTE_BACK(PLAN, B, A, INFO)
      CALL CHECK(INFO .EQ. 0, 'execute back')
      CALL CHECK_SOURCE(A, SIZE, M, RANK, P, 'back')
      DO 50 K = 1, M * N
         B(K) = -1
   50 CONTINUE
      CALL SCALAY_PLAN_BEGIN(PLAN, A, B, INFO)
      CALL CHECK(INFO .EQ. 0, 'begin')
      CALL SCALAY_PLAN_END(PLAN, B, A, INFO)
      CALL CHECK(INFO .EQ. 1, 'other arrays')
      CALL SCALAY_PLAN_END(PLAN, A, B, INFO)
      CALL CHECK(INFO .EQ. 0, 'end')
      CALL SCALAY_PLAN_END(PLAN, A, B, INFO)
      CALL CHECK(INFO .EQ. 1, 'nothing under way')
      DO 60 K = 1, SIZE
         A(K) = -1
   60 CONTINUE
      CALL SCALAY_PLAN_BEGIN_BACK(PLAN, B, A, INFO)
      CALL CHECK(INFO .EQ. 0, 'begin back')
      CALL SCALAY_PLAN_END(PLAN, A, B, INFO)
      CALL CHECK(INFO .EQ. 0, 'end of back')
      CALL CHECK_SOURCE(A, SIZE, M, RANK, P, 'split and back')
      CALL SCALAY_PLAN_EXECUTE_CONSUME(PLAN, A, B, INFO)
      CALL CHECK(INFO .NE. 0, 'a plan that does not consume')
      CALL SCALAY_PLAN_CREATE_CONSUME(COMM, SRC, TGT, MAP, 'D', EATER,
     $   INFO)
      CALL CHECK(INFO .EQ. 0, 'a plan that consumes')
      DO 70 K = 1, M * N
         B(K) = -1
   70 CONTINUE
      CALL SCALAY_PLAN_EXECUTE_CONSUME(EATER, A, B, INFO)
      CALL CHECK(INFO .EQ. 0, 'execute and consume')
      CALL SCALAY_PLAN_EXECUTE_BACK(EATER, B, A, INFO)
      CALL CHECK_SOURCE(A, SIZE, M, RANK, P, 'consumed, and back')
      CALL SCALAY_PLAN_DESTROY(EATER, INFO)

      CALL SCALAY_LAYOUT_FROM_DESC(COMM, DESC, AGAIN, INFO)
      CALL CHECK(INFO .EQ. 0, 'the descriptor describes')
      CALL SCALAY_LAYOUT_LOCAL_SIZE(AGAIN, RANK, SIZE, INFO)
      CALL CHECK(SIZE .EQ. (M / P) * N, 'what was made')
      CALL SCALAY_LAYOUT_DESTROY(AGAIN, INFO)
      CALL SCALAY_GRID_RELEASE(COMM, CTXT, INFO)
      CALL CHECK(INFO .EQ. 0 .AND. CTXT .EQ. -1, 'grid released')
      CALL SCALAY_PLAN_DESTROY(PLAN, INFO)
      CALL CHECK(INFO .EQ. 0 .AND. PLAN .EQ. 0, 'plan destroyed')
      CALL SCALAY_MAPPING_DESTROY(MAP, INFO)
      CALL CHECK(INFO .EQ. 0 .AND. MAP .EQ. 0, 'mapping destroyed')
      CALL SCALAY_LAYOUT_DESTROY(SRC, INFO)
      CALL SCALAY_LAYOUT_DESTROY(TGT, INFO)
      CALL CHECK(INFO .EQ. 0 .AND. TGT .EQ. 0, 'layout destroyed')
      END

C     B := 2 A' - B on the upper triangle, with progress in between, and
C     A := B' - A on the way back. A has column K * P + RANK + 1, B row
C     K * P + RANK + 1.
      SUBROUTINE TURN_AND_SCALE(COMM, RANK, P)
      USE CHECK_MODULE, ONLY: CHECK
      IMPLICIT NONE
      INTEGER COMM, RANK, P, SRC, TGT, PLAN, INFO, N, MINE, I, J, K
      INTEGER DONE
      PARAMETER (N = 12)
      DOUBLE PRECISION A(N * N), B(N * N), X
      LOGICAL GOOD
      CALL SCALAY_LAYOUT_BLOCK_CYCLIC(N, N, 1, 1, 1, P, 0, 0, 'R',
     $   SRC, INFO)
      CALL SCALAY_LAYOUT_BLOCK_CYCLIC(N, N, 1, 1, P, 1, 0, 0, 'R',
     $   TGT, INFO)
      CALL SCALAY_PLAN_CREATE_OP(COMM, SRC, TGT, 0, 'D', 't', 'U', 'N',
     $   PLAN, INFO)
      CALL CHECK(INFO .EQ. 0, 'plan with a transpose')
      MINE = N / P
      DO 20 J = 1, N
         DO 10 K = 1, MINE
            A(J + (K - 1) * N) = 100 * J + RANK + 1 + P * (K - 1)
            B(K + (J - 1) * MINE) = J
   10    CONTINUE
   20 CONTINUE
      CALL SCALAY_PLAN_EXECUTE_SCALED(PLAN, 2D0, A, -1D0, B, INFO)
      CALL CHECK(INFO .EQ. 0, 'execute scaled')
      GOOD = .TRUE.
      DO 40 J = 1, N
         DO 30 K = 1, MINE
            I = RANK + 1 + P * (K - 1)
            X = J
            IF (I .LE. J) X = 2 * (100 * J + I) - J
            GOOD = GOOD .AND. B(K + (J - 1) * MINE) .EQ. X
   30    CONTINUE
   40 CONTINUE
      CALL CHECK(GOOD, 'transposed, scaled and added')
      CALL SCALAY_PLAN_EXECUTE_BACK_SCALED(PLAN, 1D0, B, -1D0, A, INFO)
      CALL CHECK(INFO .EQ. 0, 'execute back scaled')
      GOOD = .TRUE.
      DO 60 J = 1, N
         DO 50 K = 1, MINE
            I = RANK + 1 + P * (K - 1)
            X = 100 * J + I
            IF (J .GE. I) X = 2 * (100 * J + I) - J - X
            GOOD = GOOD .AND. A(J + (K - 1) * N) .EQ. X
   50    CONTINUE
   60 CONTINUE
      CALL CHECK(GOOD, 'back, and added')
      CALL SCALAY_PLAN_TEST(PLAN, DONE, INFO)
      CALL CHECK(INFO .EQ. 1 .AND. DONE .EQ. 0, 'nothing to test')
      CALL SCALAY_PLAN_BEGIN(PLAN, A, B, INFO)
      CALL CHECK(INFO .EQ. 0, 'begin')
   70 CONTINUE
         CALL SCALAY_PLAN_TEST(PLAN, DONE, INFO)
         CALL CHECK(INFO .EQ. 0, 'test')
      IF (DONE .EQ. 0) GO TO 70
      CALL SCALAY_PLAN_END(PLAN, A, B, INFO)
      CALL CHECK(INFO .EQ. 0, 'end')
      CALL SCALAY_PLAN_DESTROY(PLAN, INFO)
      CALL SCALAY_PLAN_CREATE_OP(COMM, SRC, TGT, 0, 'D', 'X', 'U', 'N',
     $   PLAN, INFO)
      CALL CHECK(INFO .EQ. 1 .AND. PLAN .EQ. 0, 'no such OP')
      CALL SCALAY_PLAN_CREATE_OP(COMM, SRC, TGT, 0, 'D', 'N', ' ', 'N',
     $   PLAN, INFO)
      CALL CHECK(INFO .EQ. 1 .AND. PLAN .EQ. 0, 'no such UPLO')
      CALL SCALAY_PLAN_CREATE_OP(COMM, SRC, TGT, 0, 'D', 'N', 'L',
     $   'diag', PLAN, INFO)
      CALL CHECK(INFO .EQ. 1 .AND. PLAN .EQ. 0, 'no such DIAG')
      CALL SCALAY_LAYOUT_DESTROY(SRC, INFO)
      CALL SCALAY_LAYOUT_DESTROY(TGT, INFO)
      END

      SUBROUTINE CHECK_SOURCE(A, SIZE, M, RANK, P, WHAT)
      USE CHECK_MODULE, ONLY: CHECK
      IMPLICIT NONE
      INTEGER SIZE, M, RANK, P, K
      DOUBLE PRECISION A(*)
      CHARACTER*(*) WHAT
      LOGICAL GOOD
      GOOD = .TRUE.
      DO 10 K = 1, SIZE
         GOOD = GOOD .AND. NINT(A(K)) .EQ. 100 * (1 + MOD(K - 1, M)) +
     $      RANK + 1 + P * ((K - 1) / M)
   10 CONTINUE
      CALL CHECK(GOOD, WHAT)
      END

C     A = 2 I + 1 1^T, on ranks of unequal speeds and of equal ones.
      SUBROUTINE FACTORISATIONS(COMM, RANK, P)
      IMPLICIT NONE
      INTEGER COMM, RANK, P, L, INFO, K
      DOUBLE PRECISION SPEED(64)
      CALL SCALAY_LAYOUT_BLOCK_CYCLIC(12, 12, 3, 3, 1, P, 0, 0, 'R', L,
     $   INFO)
      DO 10 K = 1, P
         SPEED(K) = 1D0 / K
   10 CONTINUE
      CALL FACTOR_LU(COMM, RANK, P, L, SPEED)
      CALL FACTOR_CHOLESKY(COMM, RANK, P, L, 'L')
      CALL FACTOR_CHOLESKY(COMM, RANK, P, L, 'U')
      CALL FACTOR_QR(COMM, RANK, P, L)
      CALL WRONG_FACTORS(COMM, RANK, P, L, SPEED)
      CALL SCALAY_LAYOUT_DESTROY(L, INFO)
      END

      SUBROUTINE FACTOR_LU(COMM, RANK, P, L, SPEED)
      USE CHECK_MODULE, ONLY: CHECK
      IMPLICIT NONE
      INTEGER COMM, RANK, P, L, F, INFO, STOP, K, PIVOT(24), IPIV(15)
      DOUBLE PRECISION A(144), SPEED(P), ALL(12)
      EQUIVALENCE (ALL, PIVOT)
      CALL SCALAY_FACTOR_CREATE(COMM, 'L', 'L', L, 'D', P, SPEED, F,
     $   INFO)
      CALL CHECK(INFO .EQ. 0 .AND. F .NE. 0, 'an LU factorisation')
      CALL FILL(A, L, RANK, P, 2D0)
      CALL SCALAY_FACTOR_EXECUTE(F, A, STOP, INFO)
      CALL CHECK(INFO .EQ. 0 .AND. STOP .EQ. 0, 'executed')
      CALL CHECK_DETERMINANT(A, L, RANK, P, 1, 'of LU')
      CALL SCALAY_FACTOR_VECTOR(F, ALL, INFO)
      DO 10 K = 1, 12
         CALL CHECK(PIVOT(K) .EQ. K, 'no row was interchanged')
   10 CONTINUE
      CALL SCALAY_FACTOR_LOCAL_VECTOR(F, IPIV, INFO)
      CALL CHECK(INFO .EQ. 0 .AND. IPIV(12) .EQ. 12, 'for P?GETRS')
      CALL FILL(A, L, RANK, P, 0D0)
      CALL SCALAY_FACTOR_EXECUTE(F, A, STOP, INFO)
      CALL CHECK(INFO .EQ. 0 .AND. STOP .EQ. 2, 'a singular matrix')
      CALL SCALAY_FACTOR_DESTROY(F, INFO)
      CALL CHECK(INFO .EQ. 0 .AND. F .EQ. 0, 'destroyed')
      CALL SCALAY_FACTOR_DESTROY(F, INFO)
      CALL CHECK(INFO .EQ. 0, 'nothing to destroy')
      END

      SUBROUTINE FACTOR_CHOLESKY(COMM, RANK, P, L, UPLO)
      USE CHECK_MODULE, ONLY: CHECK
      IMPLICIT NONE
      INTEGER COMM, RANK, P, L, F, INFO, STOP
      DOUBLE PRECISION A(144), ALL(12)
      CHARACTER UPLO
      CALL SCALAY_FACTOR_CREATE(COMM, 'c', UPLO, L, 'd', 0, ALL, F,
     $   INFO)
      CALL CHECK(INFO .EQ. 0, 'a Cholesky factorisation')
      CALL FILL(A, L, RANK, P, 2D0)
      CALL SCALAY_FACTOR_EXECUTE(F, A, STOP, INFO)
      CALL CHECK(INFO .EQ. 0 .AND. STOP .EQ. 0, 'definite')
      CALL CHECK_DETERMINANT(A, L, RANK, P, 2, 'of Cholesky')
      CALL SCALAY_FACTOR_VECTOR(F, ALL, INFO)
      CALL CHECK(INFO .EQ. 1, 'Cholesky has no vector')
      CALL SCALAY_FACTOR_DESTROY(F, INFO)
      END

      SUBROUTINE FACTOR_QR(COMM, RANK, P, L)
      USE CHECK_MODULE, ONLY: CHECK
      IMPLICIT NONE
      INTEGER COMM, RANK, P, L, F, INFO, STOP
      DOUBLE PRECISION A(144), TAU(12)
      CALL SCALAY_FACTOR_CREATE(COMM, 'Q', 'L', L, 'D', 0, TAU, F,
     $   INFO)
      CALL FILL(A, L, RANK, P, 2D0)
      CALL SCALAY_FACTOR_EXECUTE(F, A, STOP, INFO)
      CALL CHECK_DETERMINANT(A, L, RANK, P, 1, 'of QR')
      CALL SCALAY_FACTOR_VECTOR(F, TAU, INFO)
      CALL CHECK(INFO .EQ. 0 .AND. TAU(1) .GT. 1, 'tau')
      CALL SCALAY_PLAN_EXECUTE(F, A, A, INFO)
      CALL CHECK(INFO .EQ. 1, 'a factorisation is no plan')
      CALL SCALAY_FACTOR_DESTROY(F, INFO)
      END

      SUBROUTINE WRONG_FACTORS(COMM, RANK, P, L, SPEED)
      USE CHECK_MODULE, ONLY: CHECK
      IMPLICIT NONE
      INTEGER COMM, RANK, P, L, F, INFO, STOP, K
      DOUBLE PRECISION A(1), SPEED(P)
      CHARACTER*200 TEXT
      CALL SCALAY_FACTOR_EXECUTE(L, A, STOP, INFO)
      CALL CHECK(INFO .EQ. 1, 'a layout is no factorisation')
      CALL SCALAY_ERROR_MESSAGE(TEXT)
      CALL CHECK(INDEX(TEXT, 'handle of a factorisation') .GT. 0,
     $   'which it says')
      K = P
      IF (RANK .EQ. P - 1) K = P + 1
      CALL SCALAY_FACTOR_CREATE(COMM, 'L', 'L', L, 'D', K, SPEED, F,
     $   INFO)
      CALL CHECK(INFO .EQ. 1 .AND. F .EQ. 0, 'speeds on one rank')
      CALL SCALAY_FACTOR_CREATE(COMM, 'X', 'L', L, 'D', 0, SPEED, F,
     $   INFO)
      CALL CHECK(INFO .EQ. 1 .AND. F .EQ. 0, 'no such factorisation')
      END

C     The columns of a rank, blocks of 3: 1, and more on the diagonal.
      SUBROUTINE FILL(A, L, RANK, P, MORE)
      IMPLICIT NONE
      INTEGER L, RANK, P, K, J, SIZE, INFO
      DOUBLE PRECISION A(144), MORE
      CALL SCALAY_LAYOUT_LOCAL_SIZE(L, RANK, SIZE, INFO)
      DO 10 K = 1, SIZE
         J = (K - 1) / 12
         J = 3 * (J / 3 * P + RANK) + MOD(J, 3)
         A(K) = 1
         IF (MOD(K - 1, 12) .EQ. J) A(K) = 1 + MORE
   10 CONTINUE
      END

C     The product of the diagonal of all ranks to this power is the
C     determinant of A, up to its sign.
      SUBROUTINE CHECK_DETERMINANT(A, L, RANK, P, POWER, WHAT)
      USE CHECK_MODULE, ONLY: CHECK
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER L, RANK, P, POWER, K, J, SIZE, INFO, ERROR
      DOUBLE PRECISION A(144), ALL, MINE
      CHARACTER*(*) WHAT
      CALL SCALAY_LAYOUT_LOCAL_SIZE(L, RANK, SIZE, INFO)
      MINE = 1
      DO 10 K = 1, SIZE
         J = (K - 1) / 12
         J = 3 * (J / 3 * P + RANK) + MOD(J, 3)
         IF (MOD(K - 1, 12) .EQ. J) MINE = MINE * A(K)
   10 CONTINUE
      CALL MPI_ALLREDUCE(MINE, ALL, 1, MPI_DOUBLE_PRECISION, MPI_PROD,
     $   MPI_COMM_WORLD, ERROR)
      CALL CHECK(ABS(ABS(ALL)**POWER / (2D0**11 * 14) - 1) .LT. 1D-10,
     $   'determinant ' // WHAT)
      END

C     A wrong handle is told from a good one, on all ranks together where
C     the call is collective.
      SUBROUTINE WRONG_HANDLES(COMM, RANK, P)
      USE CHECK_MODULE, ONLY: CHECK
      IMPLICIT NONE
      INTEGER COMM, RANK, P, L, OLD, INFO, H, BAD(4), K, PLAN, MAP, CTXT
      INTEGER DESC(9), ONE, SIZE
      DOUBLE PRECISION A(1), B(1)
      CHARACTER*200 TEXT
      CALL SCALAY_LAYOUT_BLOCK_CYCLIC(8, 8, 2, 2, 1, P, 0, 0, 'R', L,
     $   INFO)
      OLD = L
      CALL SCALAY_LAYOUT_DESTROY(L, INFO)
      CALL SCALAY_LAYOUT_BLOCK_CYCLIC(8, 8, 2, 2, 1, P, 0, 0, 'R', L,
     $   INFO)
      CALL CHECK(L .NE. OLD, 'a slot used again has another handle')
      BAD(1) = OLD
      BAD(2) = -5
      BAD(3) = 2147483647
      BAD(4) = COMM
      DO 10 K = 1, 4
         H = BAD(K)
         CALL SCALAY_LAYOUT_LOCAL_SIZE(H, 0, SIZE, INFO)
         CALL CHECK(INFO .EQ. 1 .AND. SIZE .EQ. 0, 'size of no layout')
         CALL SCALAY_ERROR_MESSAGE(TEXT)
         CALL CHECK(INDEX(TEXT, 'is not the handle of a layout') .GT. 0,
     $      'which says so')
         CALL SCALAY_LAYOUT_DESTROY(H, INFO)
         CALL CHECK(INFO .EQ. 1 .AND. H .EQ. BAD(K), 'not destroyed')
         CALL SCALAY_MAPPING_CREATE(L, H, 'volume', MAP, INFO)
         CALL CHECK(INFO .EQ. 1 .AND. MAP .EQ. 0, 'no target')
         CALL SCALAY_MAPPING_CREATE(H, L, 'volume', MAP, INFO)
         CALL CHECK(INFO .EQ. 1 .AND. MAP .EQ. 0, 'no source')
         CALL SCALAY_PLAN_EXECUTE(H, A, B, INFO)
         CALL CHECK(INFO .EQ. 1, 'no plan')
         CALL SCALAY_PLAN_EXECUTE_BACK(H, A, B, INFO)
         CALL CHECK(INFO .EQ. 1, 'no plan back')
         CALL SCALAY_PLAN_BEGIN(H, A, B, INFO)
         CALL CHECK(INFO .EQ. 1, 'no plan to begin')
         CALL SCALAY_PLAN_BEGIN_BACK(H, A, B, INFO)
         CALL CHECK(INFO .EQ. 1, 'no plan to begin back')
         CALL SCALAY_PLAN_END(H, A, B, INFO)
         CALL CHECK(INFO .EQ. 1, 'no plan to end')
         CALL SCALAY_PLAN_DESTROY(H, INFO)
         CALL CHECK(INFO .EQ. 1, 'no plan to destroy')
         CALL SCALAY_MAPPING_DESTROY(H, INFO)
         CALL CHECK(INFO .EQ. 1, 'no mapping to destroy')
   10 CONTINUE
      CALL SCALAY_ERROR_MESSAGE(TEXT)
      CALL CHECK(INDEX(TEXT, 'communicator') .GT. 0, 'of another kind')

C     Wrong on one rank only.
      ONE = L
      IF (RANK .EQ. P - 1) ONE = OLD
      CALL SCALAY_PLAN_CREATE(COMM, L, ONE, 0, 'D', PLAN, INFO)
      CALL CHECK(INFO .EQ. 1 .AND. PLAN .EQ. 0, 'one bad target')
      CALL SCALAY_PLAN_CREATE(COMM, ONE, L, 0, 'D', PLAN, INFO)
      CALL CHECK(INFO .EQ. 1 .AND. PLAN .EQ. 0, 'one bad source')
      CALL SCALAY_GRID_CREATE(COMM, ONE, 0, CTXT, DESC, INFO)
      CALL CHECK(INFO .EQ. 1 .AND. CTXT .EQ. -1, 'one bad grid')
      ONE = 0
      IF (RANK .EQ. 0) ONE = L
      CALL SCALAY_PLAN_CREATE(COMM, L, L, ONE, 'D', PLAN, INFO)
      CALL CHECK(INFO .EQ. 1 .AND. PLAN .EQ. 0, 'one bad mapping')
      CALL SCALAY_ERROR_MESSAGE(TEXT)
      CALL CHECK((RANK .EQ. 0) .EQV. (INDEX(TEXT, 'MAPPING') .GT. 0),
     $   'the rank that erred knows best')
      CALL SCALAY_GRID_CREATE(COMM, L, ONE, CTXT, DESC, INFO)
      CALL CHECK(INFO .EQ. 1 .AND. CTXT .EQ. -1, 'one bad mapping, too')

C     Without a communicator there is nobody to agree with.
      CALL SCALAY_PLAN_CREATE(L, L, L, 0, 'D', PLAN, INFO)
      CALL CHECK(INFO .EQ. 1, 'no communicator for a plan')
      CALL SCALAY_GRID_CREATE(L, L, 0, CTXT, DESC, INFO)
      CALL CHECK(INFO .EQ. 1, 'nor for a grid')
      CALL SCALAY_GRID_RELEASE(L, CTXT, INFO)
      CALL CHECK(INFO .EQ. 1, 'nor to release one')
      CALL SCALAY_LAYOUT_FROM_DESC(L, DESC, H, INFO)
      CALL CHECK(INFO .EQ. 1 .AND. H .EQ. 0, 'nor for a descriptor')
      H = L
      CALL SCALAY_COMM_DESTROY(H, INFO)
      CALL CHECK(INFO .EQ. 1, 'nor to destroy')
      CALL SCALAY_LAYOUT_DESTROY(L, INFO)
      END

      SUBROUTINE WRONG_WORDS(COMM)
      USE CHECK_MODULE, ONLY: CHECK
      IMPLICIT NONE
      INTEGER COMM, L, H, INFO
      CHARACTER*20 SHORT
      CALL SCALAY_LAYOUT_BLOCK_CYCLIC(8, 8, 2, 2, 1, 1, 0, 0, 'X', L,
     $   INFO)
      CALL CHECK(INFO .EQ. 1 .AND. L .EQ. 0, 'no such order')
      CALL SCALAY_LAYOUT_BLOCK_CYCLIC(8, 8, 2, 0, 1, 1, 0, 0, 'R', L,
     $   INFO)
      CALL CHECK(INFO .EQ. 1 .AND. L .EQ. 0, 'nb = 0')
      CALL SCALAY_ERROR_MESSAGE(SHORT)
      CALL CHECK(SHORT .EQ. 'scalay_layout_block_', 'a message is cut')
      CALL SCALAY_LAYOUT_BLOCK_CYCLIC(8, 8, 2, 2, 1, 1, 0, 0, 'R', L,
     $   INFO)
      CALL SCALAY_MAPPING_CREATE(L, L, 'speed', H, INFO)
      CALL CHECK(INFO .EQ. 1 .AND. H .EQ. 0, 'no such objective')
      CALL SCALAY_PLAN_CREATE(COMM, L, L, 0, 'Q', H, INFO)
      CALL CHECK(INFO .EQ. 1 .AND. H .EQ. 0, 'no such type')
      CALL SCALAY_LAYOUT_DESTROY(L, INFO)
      END

C     More handles than the table starts with, and many after another.
      SUBROUTINE MANY_HANDLES
      USE CHECK_MODULE, ONLY: CHECK
      IMPLICIT NONE
      INTEGER MANY
      PARAMETER (MANY = 500)
      INTEGER L(MANY), K, INFO, SIZE
      LOGICAL GOOD
      GOOD = .TRUE.
      DO 10 K = 1, MANY
         CALL SCALAY_LAYOUT_BLOCK_CYCLIC(K, 1, 1, 1, 1, 1, 0, 0, 'R',
     $      L(K), INFO)
         GOOD = GOOD .AND. INFO .EQ. 0
   10 CONTINUE
      DO 20 K = MANY, 1, -1
         CALL SCALAY_LAYOUT_LOCAL_SIZE(L(K), 0, SIZE, INFO)
         GOOD = GOOD .AND. INFO .EQ. 0 .AND. SIZE .EQ. K
         CALL SCALAY_LAYOUT_DESTROY(L(K), INFO)
         GOOD = GOOD .AND. INFO .EQ. 0
   20 CONTINUE
      DO 30 K = 1, 100000
         CALL SCALAY_LAYOUT_BLOCK_CYCLIC(1, 1, 1, 1, 1, 1, 0, 0, 'R',
     $      L(1), INFO)
         GOOD = GOOD .AND. INFO .EQ. 0
         CALL SCALAY_LAYOUT_DESTROY(L(1), INFO)
         GOOD = GOOD .AND. INFO .EQ. 0
   30 CONTINUE
      CALL CHECK(GOOD, 'many handles')
      END
