#!/bin/sh
# errors.sh PROGRAM LAUNCHER...: every mistake ends the program with a message that says what is wrong.
program=$1
shift
launcher=$*
failed=0

# expect MISTAKE SENTENCE: the program fails, says it, and does not go on.
expect() {
    mistake=$1
    sentence=$2
    output=$($launcher "$program" "$mistake" 2>&1) && code=0 || code=$?
    count=$(printf '%s\n' "$output" | grep -cF "ScaLAY: $sentence")
    if [ "$code" -eq 0 ] || [ "$count" -eq 0 ] || printf '%s' "$output" | grep -q 'went on'; then
        printf '%s: exit code %s, expected "%s", found:\n%s\n' "$mistake" "$code" "$sentence" "$output"
        failed=1
    fi
}
expect nb 'pdgemr2d: DESCA(6) (NB_) = 0, but it is at least 1'
expect m 'pdgemr2d: M = -1, but a submatrix has at least 0 rows'
expect ia 'pdgemr2d: IA = 0: rows 0 .. 7 are outside of the matrix, which has 1 .. 8'
expect jb 'pdgemr2d: JB = 2: columns 2 .. 9 are outside of the matrix, which has 1 .. 8'
expect csrc 'pdgemr2d: DESCB(8) (CSRC_) = 2 is outside of its grid; pass 0 to 1'
expect ctxt 'pdgemr2d: CTXT = 77 is not a BLACS context that this process is in'
expect nowhere 'pdgemr2d: no process of CTXT = '
expect lld 'pdgemr2d: DESCB(9) (LLD_) = 7 is less than the 8 local rows'
expect null 'pdgemr2d: A is NULL'
expect differ 'pdgemr2d: the processes disagree about MB_ of the first matrix: 2 on one, 3 on another'
expect differ-n 'pdgemr2d: the processes disagree about N: 7 on one, 8 on another'
expect missing "pdgemr2d: 1 of the 2 processes of the first matrix' grid take part"
expect uplo "pdtrmr2d: UPLO = 'X'; pass 'U' (upper) or 'L' (lower)"
expect diag "pdtrmr2d: DIAG = '?'; pass 'N' (copy the diagonal) or 'U' (leave it)"
expect tran-type 'pdtran: DESCA(1) (DTYPE_) = 7'
expect tran-n 'pdtran: N = -2, but a submatrix has at least 0 columns'
expect tran-context 'pdtran: DESCC(2) (CTXT_) = -1, but A is on context'
expect tran-nowhere 'pdtran: CTXT = -1 is not a BLACS context'
expect tran-lld 'pdtran: DESCA(9) (LLD_) = 2 is less than the 8 local rows'
exit $failed
