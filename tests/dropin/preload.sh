#!/bin/sh
# preload.sh RUN PROGRAM RELINKED LAUNCHER...: a program that knows nothing of ScaLAY works as it is, by scalay-run, and
# relinked, and says who answers its calls in the last two cases; and scalay-run says what it cannot do.
run=$1
program=$2
relinked=$3
shift 3
SCALAY_VERBOSE=1
export SCALAY_VERBOSE
failed=0

# check NAME LINES COMMAND...: it works, and so many lines say that ScaLAY is there.
check() {
    name=$1
    lines=$2
    shift 2
    output=$("$@" 2>&1)
    code=$?
    found=$(printf '%s\n' "$output" | grep -c '^ScaLAY .*: p[a-z0-9]* is answered by .*libscalay_scalapack.*transport')
    [ "$code" -eq 0 ] && [ "$found" -eq "$lines" ] && return
    printf '%s: exit code %s, %s lines of ScaLAY instead of %s\n%s\n' "$name" "$code" "$found" "$lines" "$output"
    failed=1
}

check 'as it is' 0 "$@" "$program"
check 'by scalay-run' 1 "$@" "$run" "$program"
check 'relinked' 1 "$@" "$relinked"

# refuse CODE SENTENCE COMMAND...
refuse() {
    wanted=$1
    sentence=$2
    shift 2
    output=$("$@" 2>&1)
    code=$?
    [ "$code" -eq "$wanted" ] && printf '%s' "$output" | grep -qF -e "$sentence" && return
    printf '%s: exit code %s instead of %s, and: %s\n' "$*" "$code" "$wanted" "$output"
    failed=1
}

refuse 2 'usage: ' "$run"
refuse 2 '--fast is no option' "$run" --fast
refuse 2 '--report needs a file' "$run" --report
refuse 0 'usage: ' "$run" --help
refuse 127 'there is no program ./no-such-program' "$run" ./no-such-program
refuse 1 'there is no /no/library; set SCALAY_SCALAPACK_LIBRARY' env SCALAY_SCALAPACK_LIBRARY=/no/library "$run" true
[ -z "$SCALAY_TEST_OTHER_MPI" ] ||
    refuse 1 'uses the MPI library libmpich.so.12, but' "$run" "$SCALAY_TEST_OTHER_MPI"
refuse 1 'cannot be loaded' env SCALAY_SCALAPACK_LIBRARY="$0" "$run" true
# Of several processes of a node, only the first one looks.
refuse 0 'cannot be preloaded' env OMPI_COMM_WORLD_LOCAL_RANK=1 SCALAY_SCALAPACK_LIBRARY="$0" "$run" env
exit $failed
