#!/bin/sh
# examples.sh EXAMPLES HEADERS: checks that an example calls every function of the headers.
# A function that ends in _init is called by the inline function that ends in _default.
declared=$(cat "$2"/*.h | grep -v '^#define' | tr '\n' ' ' |
    grep -oE 'SCALAY_API [^;(]*\(' | sed -E 's/.*[ *](scalay_[a-z0-9_]+)\($/\1/' | sort)
[ -n "$declared" ] || { echo "no function is declared in $2"; exit 1; }
missing=0
for name in $declared; do
    case $name in *_init) name=${name%_init}_default ;; esac
    grep -qw "$name" "$1"/*.c || { echo "no example calls $name"; missing=1; }
done
exit $missing
