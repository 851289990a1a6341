#!/bin/sh
# exports.sh NM LIBRARY HEADERS: the library exports what the headers declare, with symbol versions, and otherwise only
# what our other libraries call.
set -e
declared=$(cat "$3"/*.h | grep -v '^#define' | tr '\n' ' ' |
    grep -oE 'SCALAY_API [^;(]*\(' | sed -E 's/.*[ *](scalay_[a-z0-9_]+)\($/\1/' | sort)
exported=$("$1" -D --defined-only "$2" | awk '$2 != "A" { print $3 }' | sed -n 's/@@SCALAY_0\.[0-9]*$//p' | sort)
others=$("$1" -D --defined-only "$2" | awk '$2 != "A" { print $3 }' | grep -vE '@@SCALAY_(0\.|PRIVATE$)' || true)
if [ -z "$declared" ] || [ "$declared" != "$exported" ] || [ -n "$others" ]; then
    printf 'declared:\n%s\n\nexported:\n%s\n\nwithout a version:\n%s\n' "$declared" "$exported" "$others"
    exit 1
fi
