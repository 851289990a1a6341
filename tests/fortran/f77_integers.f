C     A plan for integers: in a file of its own, since the compiler
C     compares the calls of a file.
      SUBROUTINE MOVE_INTEGERS(COMM, RANK, P)
      USE CHECK_MODULE, ONLY: CHECK
      IMPLICIT NONE
      INTEGER COMM, RANK, P, SRC, TGT, PLAN, INFO, A(4), B(4), K
      CALL SCALAY_LAYOUT_BLOCK_CYCLIC(4 * P, 1, 4, 1, P, 1, 0, 0, 'R',
     $   SRC, INFO)
      CALL SCALAY_LAYOUT_BLOCK_CYCLIC(4 * P, 1, 4, 1, P, 1, P - 1, 0,
     $   'R', TGT, INFO)
      CALL SCALAY_PLAN_CREATE(COMM, SRC, TGT, 0, 'I', PLAN, INFO)
      CALL CHECK(INFO .EQ. 0, 'a plan for integers')
      DO 10 K = 1, 4
         A(K) = 4 * RANK + K
         B(K) = 0
   10 CONTINUE
      CALL SCALAY_PLAN_EXECUTE(PLAN, A, B, INFO)
      CALL CHECK(INFO .EQ. 0, 'moves')
      DO 20 K = 1, 4
         CALL CHECK(B(K) .EQ. 4 * MOD(RANK + 1, P) + K,
     $      'the block of the next rank')
   20 CONTINUE
      CALL SCALAY_PLAN_DESTROY(PLAN, INFO)
      CALL SCALAY_LAYOUT_DESTROY(SRC, INFO)
      CALL SCALAY_LAYOUT_DESTROY(TGT, INFO)
      END
