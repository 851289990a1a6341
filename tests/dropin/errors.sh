#!/bin/sh
# errors.sh PROGRAM LAUNCHER...: every mistake ends the program with a message that says what is wrong.
program=$1
shift
launcher=$*
failed=0

# run MISTAKE: what the program says, and its exit code. MPICH's launcher may drop what is said just before an abort, here
# what the BLACS say; then the program is run again.
run() {
    for attempt in 1 2 3 4 5; do
        output=$($launcher "$program" "$1" 2>&1) && code=0 || code=$?
        printf '%s' "$output" | grep -qF 'exiting with error #' && return
    done
}

# expect MISTAKE NUMBER MOST SENTENCE: the program fails with BLACS' error of that number, says the sentence, on no more
# than so many of its processes, and does not go on.
expect() {
    mistake=$1
    number=$2
    most=$3
    sentence=$4
    run "$mistake"
    count=$(printf '%s\n' "$output" | grep -cF "ScaLAY: $sentence")
    others=$(printf '%s\n' "$output" | grep -F 'exiting with error #' | grep -cvF "error #$number.")
    if [ "$code" -eq 0 ] || [ "$count" -eq 0 ] || [ "$count" -gt "$most" ] || [ "$others" -ne 0 ] ||
        ! printf '%s' "$output" | grep -qF "exiting with error #$number." || printf '%s' "$output" | grep -q 'went on'
    then
        printf '%s: exit code %s, expected error #%s and, from %s at most, "%s", found:\n%s\n' "$mistake" "$code" "$number" \
            "$most" "$sentence" "$output"
        failed=1
    fi
}
expect nb -606 1 'pdgemr2d: DESCA(6) (NB_) = 0, but it is at least 1'
expect m -1 1 'pdgemr2d: M = -1, but a submatrix has at least 0 rows'
expect ia -4 1 'pdgemr2d: IA = 0: rows 0 .. 7 are outside of the matrix, which has 1 .. 8'
expect jb -9 1 'pdgemr2d: JB = 2: columns 2 .. 9 are outside of the matrix, which has 1 .. 8'
expect csrc -1008 1 'pdgemr2d: DESCB(8) (CSRC_) = 2 is outside of its grid; pass 0 to 1'
expect ctxt -11 2 'pdgemr2d: CTXT = 77 is not a BLACS context that this process is in'
expect nowhere 1 1 'pdgemr2d: no process of CTXT = '
expect lld -1009 1 'pdgemr2d: DESCB(9) (LLD_) = 7 is less than the 8 local rows'
expect null -3 1 'pdgemr2d: A is NULL'
expect differ 1 1 'pdgemr2d: the processes disagree about MB_ of the first matrix: 2 on one, 3 on another'
expect differ-n 1 1 'pdgemr2d: the processes disagree about N: 7 on one, 8 on another'
expect missing 1 1 "pdgemr2d: 1 of the 2 processes of the first matrix' grid take part"
expect uplo -1 1 "pdtrmr2d: UPLO = 'X'; pass 'U' (upper) or 'L' (lower)"
expect diag -2 1 "pdtrmr2d: DIAG = '?'; pass 'N' (copy the diagonal) or 'U' (leave it)"
expect tran-type -701 1 'pdtran: DESCA(1) (DTYPE_) = 7'
expect tran-n -2 1 'pdtran: N = -2, but a submatrix has at least 0 columns'
expect tran-context -1202 1 'pdtran: DESCC(2) (CTXT_) = -1, but A is on context'
expect tran-nowhere -702 2 'pdtran: DESCA(2) (CTXT_) = -1 is not a BLACS context'
expect tran-lld -709 1 'pdtran: DESCA(9) (LLD_) = 2 is less than the 8 local rows'
exit $failed
