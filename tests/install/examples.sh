#!/bin/sh
# examples.sh EXAMPLES HEADERS: every function that the headers declare stands in an example.
declared=$(cat "$2"/*.h | grep -v '^#define' | tr '\n' ' ' |
    grep -oE 'SCALAY_API [^;(]*\(' | sed -E 's/.*[ *](scalay_[a-z0-9_]+)\($/\1/' | sort)
[ -n "$declared" ] || { echo "no function is declared in $2"; exit 1; }
missing=0
for name in $declared; do
    grep -qw "$name" "$1"/*.c || { echo "no example calls $name"; missing=1; }
done
exit $missing
