#!/bin/sh
# commands.sh PAGE.md: executes the page's commands, in the folder $WORK. A command fails the test if its exit code is not
# 0, unless "echo $?" follows. Output that the page shows is compared if it does not depend on the machine. A page's
# "$ cat FILE" makes the file.
# UPDATE=1 commands.sh PAGE.md: writes the new output to the page instead.
# commands.sh --skipped PAGE.md...: each line of skipped.txt is about a command of a page.
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
list() { awk -f "$here/blocks.awk" -v language=commands "$1"; }

if [ "$1" = --skipped ]; then
    shift
    for page; do list "$page" | grep '	' | cut -f2-; done >skipped.commands
    failed=0
    while IFS='	' read -r pattern reason; do
        grep -Eq -- "$pattern" skipped.commands || { echo "skipped.txt: no page has a command $pattern"; failed=1; }
        [ -n "$reason" ] || { echo "skipped.txt: no reason for $pattern"; failed=1; }
    done <"$here/skipped.txt"
    exit $failed
fi

page=$1
rm -rf "$WORK" && mkdir -p "$WORK/out" && cd "$WORK" || exit 1
ln -s "$EXAMPLES" examples
mkdir home mpi
printf '#!/bin/sh\nexec "%s" "$@"\n' "$MPIEXEC" >mpi/mpirun && chmod +x mpi/mpirun
HOME=$WORK/home XDG_CACHE_HOME=$WORK/home PATH=$BIN:$WORK/mpi:$PATH
export HOME XDG_CACHE_HOME PATH
# Files that pages name without making them.
cp "$EXAMPLES/data/node.csv" node.csv
printf 'processor,size,time\n0,16,1\n0,32,2\n0,48,3\n1,16,2\n1,32,4\n1,48,6\n2,16,2\n2,32,4\n2,48,6\n' >ranks.csv
printf '1,2\n3\n' >bad.csv
# npy ROWS COLUMNS: elements of the example, in another shape.
npy() {
    printf '\223NUMPY\001\000v\000'
    printf '%-117s\n' "{'descr': '<f4', 'fortran_order': True, 'shape': ($1, $2), }"
    tail -c +129 "$EXAMPLES/data/egm96_geoid.npy" | head -c $(($1 * $2 * 4))
}
npy 48 48 >a.npy
npy 48 48 >b.npy
# The identity, which is positive definite.
{
    npy 48 48 | head -c 128
    for k in $(seq 0 47); do
        head -c $((k * 4)) /dev/zero
        printf '\000\000\200\077'
        head -c $(((47 - k) * 4)) /dev/zero
    done
} >definite.npy
npy 90 60 >matrix.npy
cp "$SOLVER" solver

compared='^scalay (workload|partition|map|show) |^echo '
failed=0
note() { echo "$page:$line: $*"; failed=1; }

# Compares the output of the last command with the page.
finish() {
    [ -n "$command" ] || return
    if [ "$status" != 0 ] && [ "$next" != 'echo $?' ]; then
        note "exit code $status: $command"; cat output
    elif [ -s expected ] && printf '%s\n' "$command" | grep -Eq "$compared"; then
        if [ -n "$UPDATE" ]; then
            cmp -s expected output || { cp output "new.$first"; echo "$first $last_line new.$first" >>updates; }
            return
        fi
        diff expected output >difference || { note "other output (<: the page): $command"; cat difference; }
    fi
}

list "$page" >commands
exec 3<commands
command=
status=0
: >expected
while IFS= read -r entry <&3 || { entry='0	:'; last=1; }; do
    case $entry in
    *'	'*)
        next=${entry#*	}
        finish
        [ -z "$last" ] || break
        line=${entry%%	*}
        previous=$status
        command=$next
        : >expected
        reason=$(while IFS='	' read -r pattern reason; do
            printf '%s\n' "$command" | grep -Eq -- "$pattern" && echo "$reason"; done <"$here/skipped.txt")
        if [ -n "$reason" ]; then command=; status=0; continue; fi
        case $command in
        'cat '*) awk -v line="$line" -F'>' '$0 ~ "^[0-9]+\t" { on = $0 + 0 == line; next } on { print substr($0, length($1) + 2) }' \
            commands >"${command#cat }"; command=; continue ;;
        esac
        small=$(printf '%s\n' "$command" | sed -E -f "$here/reduced.sed")
        began=$(($(date +%s%N) / 1000000))
        (exit "$previous"); eval "$small" >output 2>&1 3<&-
        status=$?
        [ -z "$TIMES" ] || echo "$line: $(($(date +%s%N) / 1000000 - began)) ms" ;;
    *!)
        next=
        finish
        unset -f scalay 2>/dev/null
        command=
        status=0 ;;
    *)
        last_line=${entry%%>*}
        [ -s expected ] || first=$last_line
        printf '%s\n' "${entry#*>}" >>expected ;;
    esac
done
if [ -s updates ]; then
    awk 'NR == FNR { last[$1] = $2; file[$1] = $3; next }
        FNR in last { while ((getline text < file[FNR]) > 0) print text; until = last[FNR] }
        FNR > until' updates "$page" >page.md && cp page.md "$page"
fi
exit $failed
