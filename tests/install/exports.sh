#!/bin/sh
# exports.sh NM LIBRARY HEADERS: the library exports what the headers declare, and nothing else.
set -e
declared=$(cat "$3"/*.h | grep -v '^#define' | tr '\n' ' ' |
    grep -oE 'SCALAY_API [^;(]*\(' | sed -E 's/.*[ *](scalay_[a-z0-9_]+)\($/\1/' | sort)
exported=$("$1" -D --defined-only "$2" | awk '{ print $3 }' | sort)
if [ -z "$declared" ] || [ "$declared" != "$exported" ]; then
    printf 'declared:\n%s\n\nexported:\n%s\n' "$declared" "$exported"
    exit 1
fi
