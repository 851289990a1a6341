#!/bin/sh
# exports_scalapack.sh NM LIBRARY HEADER PAGE: the library exports what the header declares and the compute routines of
# ScaLAPACK, which it does not declare. It exports nothing else, and finds its own functions first.
# The table of PAGE has each routine with a prefix.
set -e
compute=$(for name in gemm geqrf getrf potrf gesv posv gels getrs potrs getri potri trsm gesvd; do
    printf 'p%s'"$name"'_\n' s d c z
done
for name in syev syevd syevr syevx sygvx ormqr orgqr; do printf 'p%s'"$name"'_\n' s d; done
for name in heev heevd heevr heevx hegvx unmqr ungqr; do printf 'p%s'"$name"'_\n' c z; done)
declared=$(grep -v '^#define' "$3" | tr '\n' ' ' | grep -oE 'SCALAY_SCALAPACK_API [a-z]+ [A-Za-z0-9_]+\(' |
    sed -E 's/.* ([A-Za-z0-9_]+)\($/\1/')
declared=$(printf '%s\n%s\n' "$declared" "$compute" | LC_ALL=C sort)
versioned=$("$1" -D --defined-only "$2" | awk '$2 != "A" { print $3 }')
# Our own names have a version. ScaLAPACK's have none: they answer for libraries with symbol versions and without.
if printf '%s\n' "$versioned" | grep '^scalay_' | grep -v '@@SCALAY_0\.'; then exit 1; fi
if printf '%s\n' "$versioned" | grep -v '^scalay_' | grep '@'; then exit 1; fi
exported=$(printf '%s\n' "$versioned" | sed 's/@@.*//' | LC_ALL=C sort)
if [ -z "$declared" ] || [ "$declared" != "$exported" ]; then
    printf 'declared:\n%s\n\nexported:\n%s\n' "$declared" "$exported"
    exit 1
fi
for name in $(printf '%s\n' "$exported" | grep '^scalay_p.*_$' | sed -E 's/^scalay_p.(.*)_$/\1/' | sort -u); do
    name=$(printf %s "$name" | tr a-z A-Z)
    grep -qF "| \`P?$name\` | \`CALL SCALAY_P?$name\` |" "$4" || { echo "$4 does not list P?$name" && exit 1; }
done
readelf -d "$2" | grep -q SYMBOLIC
