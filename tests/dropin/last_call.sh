#!/bin/sh
# last_call.sh RUN PROGRAM LAUNCHER...: scalay-run names the last call of a process that is killed or crashes, and no
# process that ends; and leaves no process.
run=$1
program=$2
shift 2
LAST_CALL_TEST=$$
export LAST_CALL_TEST
failed=0

# dies PATTERN WORD...: rank 1 of the program with arguments WORD... dies, and the line has the pattern.
dies() {
    pattern=$1
    shift
    output=$(eval "$launch" '"$run" "$program" "$@"' 2>&1) && echo "$*: exit code 0" && failed=1
    printf '%s\n' "$output" | grep -Eq "^scalay-run: rank 1, process [0-9]+ died $pattern of ScaLAPACK" && return
    printf '%s: no line with "%s", but:\n%s\n' "$*" "$pattern" "$output"
    failed=1
}

launch=
for word; do launch="$launch '$word'"; done
dies 'after pdgemr2d, its call number 3' after 9
dies 'in pdgemr2d, its call number 4' in 9
dies 'in pdgemr2d, its call number 4' in 11
output=$(eval "$launch" '"$run" "$program" end' 2>&1) || failed=1
[ -z "$output" ] || { echo "end: $output"; failed=1; }
sleep 0.3
for process in /proc/[0-9]*; do
    [ "$(readlink "$process/exe")" = "$(readlink -f "$program")" ] || continue
    ! tr '\0' '\n' 2>/dev/null <"$process/environ" | grep -qx "LAST_CALL_TEST=$$" ||
        { echo "left: $process"; failed=1; }
done
exit $failed
