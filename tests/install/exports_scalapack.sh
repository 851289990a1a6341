#!/bin/sh
# exports_scalapack.sh NM LIBRARY HEADER: the library exports what the header declares, and nothing else, and finds its
# own functions first.
set -e
declared=$(grep -v '^#define' "$3" | tr '\n' ' ' | grep -oE 'SCALAY_SCALAPACK_API [a-z]+ [A-Za-z0-9_]+\(' |
    sed -E 's/.* ([A-Za-z0-9_]+)\($/\1/' | LC_ALL=C sort)
exported=$("$1" -D --defined-only "$2" | awk '{ print $3 }' | LC_ALL=C sort)
if [ -z "$declared" ] || [ "$declared" != "$exported" ]; then
    printf 'declared:\n%s\n\nexported:\n%s\n' "$declared" "$exported"
    exit 1
fi
readelf -d "$2" | grep -q SYMBOLIC
