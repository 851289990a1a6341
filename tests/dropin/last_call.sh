#!/bin/sh
# last_call.sh RUN PROGRAM LAUNCHER...: scalay-run names the last call of a process that is killed or crashes, and no
# process that ends; and leaves no process.
run=$1
program=$2
shift 2
LAST_CALL_TEST=$$
export LAST_CALL_TEST
errors=$(mktemp) || exit 1
trap 'rm -f "$errors"' EXIT
failed=0

# start WORD...: runs the program with arguments WORD... The ranks write their errors to a file: the launcher may end
# before it has passed on what a watcher says.
start() {
    eval "$launch" 'sh -c "exec \"\$@\" 2>>\"$errors\"" sh "$run" "$program" "$@"' >>"$errors" 2>/dev/null
}

# dies PATTERN WORD...: rank 1 of the program with arguments WORD... dies, and the line has the pattern within 20 s.
dies() {
    pattern=$1
    shift
    : >"$errors"
    start "$@" && echo "$*: exit code 0" && failed=1
    for _ in $(seq 200); do
        grep -Eq "^scalay-run: rank 1, process [0-9]+ died $pattern of ScaLAPACK" "$errors" && return
        sleep 0.1
    done
    printf '%s: no line with "%s", but:\n' "$*" "$pattern"
    cat "$errors"
    failed=1
}

launch=
for word; do launch="$launch '$word'"; done
dies 'after pdgemr2d, its call number 3' after 9
dies 'in pdgemr2d, its call number 4' in 9
dies 'in pdgemr2d, its call number 4' in 11
: >"$errors"
start end || failed=1
sleep 0.3
! grep '^scalay-run:' "$errors" || failed=1
for process in /proc/[0-9]*; do
    [ "$(readlink "$process/exe")" = "$(readlink -f "$program")" ] || continue
    ! tr '\0' '\n' 2>/dev/null <"$process/environ" | grep -qx "LAST_CALL_TEST=$$" ||
        { echo "left: $process"; failed=1; }
done
exit $failed
