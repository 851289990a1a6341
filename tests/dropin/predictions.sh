#!/bin/sh
# predictions.sh PROGRAM LAUNCHER...: what process 0 reports of moved routines: predicted seconds, and their sum.
program=$1
shift
fail() {
    printf '%s\n%s\n' "$1" "$output"
    exit 1
}

output=$(SCALAY_VERBOSE=2 "$@" "$program" 2 1 2>&1) || fail 'the program fails'
for routine in gesv posv gels potri ormqr orgqr getri syevd gesvd getrs potrs trsm; do
    printf '%s\n' "$output" | grep -q "^ScaLAY: p.$routine .* predicted .* predicted in place .* measured" ||
        fail "p?$routine is not predicted"
done
saved=$(printf '%s\n' "$output" | awk '/^ScaLAY: p.posv +[0-9]+ +[0-9]+ / && $NF > 0' | wc -l)
[ "$saved" -gt 0 ] || fail 'nothing is saved by p?posv'
