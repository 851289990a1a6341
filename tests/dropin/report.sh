#!/bin/sh
# report.sh RUN PROGRAM REPORT LAUNCHER...: an unchanged program whose QR factorisation ScaLAY answers, its summary, and the
# report. With SCALAY_SCALAPACK=off the program is ScaLAPACK's alone.
run=$1
program=$2
report=$3
shift 3
fail() {
    printf '%s\n%s\n' "$1" "$output"
    exit 1
}

rm -f "$report"
output=$(SCALAY_VERBOSE=2 "$@" "$run" --report "$report" "$program" 600 300 2>&1) || fail 'the program fails'
printf '%s\n' "$output" | grep -q '^ScaLAY: pdgeqrf 600 x 300: answered' || fail 'pdgeqrf is not answered'
printf '%s\n' "$output" | grep -q '^ScaLAY: pdgeqrf  *1  *1 ' || fail 'there is no summary'
printf '%s\n' "$output" | grep -q '`scalay calibrate` or `scalay-run --calibrate` measures it$' ||
    fail 'the summary does not say how to measure the machine'
grep -q '^{"version": 1, "routines": \[$' "$report" || fail 'the report does not begin as it should'
grep -q '^  {"name": "pdgeqrf", "calls": 1, "answered": 1, "seconds": [0-9.e+-]*, "predicted_saved_seconds": [0-9.e+-]*}$' \
    "$report" || fail 'the report is wrong'
if [ -n "$PYTHON" ]; then
    output=$("$PYTHON" "$CHECKER" "$SCHEMA" "$report" 2>&1) || fail 'the report does not match its schema'
fi
output=$(SCALAY_VERBOSE=2 SCALAY_SCALAPACK=off "$@" "$run" "$program" 600 300 2>&1) || fail 'the program fails when off'
printf '%s\n' "$output" | grep -q '^ScaLAY: pdgeqrf 600 x 300: stays (SCALAY_SCALAPACK), measured' ||
    fail 'pdgeqrf is answered when off, or no line says why not'
output=$(SCALAY_VERBOSE=9 "$@" "$run" "$program" 600 300 2>&1) && fail 'SCALAY_VERBOSE=9 is accepted'
printf '%s\n' "$output" | grep -qF 'SCALAY_VERBOSE is "9"; it must be a number from 0 to 2' || fail 'no message'
output=$("$@" "$run" --diagnose "$program" 600 300 2>&1) || fail 'the program fails with --diagnose'
printf '%s\n' "$output" | grep -qF 'ScaLAY: pdgeqrf: 600 x 300 in blocks of 150 x 150 on a 4 x 1 grid: 1 call' ||
    fail 'the diagnosis does not name the matrix'
printf '%s\n' "$output" | grep -q 'at most one block per process' || fail 'the diagnosis does not name the fault'
printf '%s\n' "$output" | grep -q 'a grid of 4 x 1: panels are long' || fail 'the diagnosis does not name the grid'
printf '%s\n' "$output" | grep -q 'CALL DESCINIT(DESC, 600, 300, ' || fail 'the diagnosis has no remedy'
