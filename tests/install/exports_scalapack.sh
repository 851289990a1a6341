#!/bin/sh
# exports_scalapack.sh NM LIBRARY HEADER: the library exports what the header declares and the compute routines of
# ScaLAPACK, which it does not declare. It exports nothing else, and finds its own functions first.
set -e
compute=$(for name in gemm geqrf getrf potrf gesv posv gels getrs potrs getri potri trsm; do
    printf 'p%s'"$name"'_\n' s d c z
done
for name in syev syevd syevr gesvd; do printf 'p%s'"$name"'_\n' s d; done
for name in heev heevd heevr; do printf 'p%s'"$name"'_\n' c z; done)
declared=$(grep -v '^#define' "$3" | tr '\n' ' ' | grep -oE 'SCALAY_SCALAPACK_API [a-z]+ [A-Za-z0-9_]+\(' |
    sed -E 's/.* ([A-Za-z0-9_]+)\($/\1/')
declared=$(printf '%s\n%s\n' "$declared" "$compute" | LC_ALL=C sort)
exported=$("$1" -D --defined-only "$2" | awk '{ print $3 }' | LC_ALL=C sort)
if [ -z "$declared" ] || [ "$declared" != "$exported" ]; then
    printf 'declared:\n%s\n\nexported:\n%s\n' "$declared" "$exported"
    exit 1
fi
readelf -d "$2" | grep -q SYMBOLIC
