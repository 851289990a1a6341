#!/bin/sh
# static.sh PROGRAM LAUNCHER...: links libscalay.a with what `pkg-config --static` names, and runs the program.
set -e
here=$(dirname "$0")
program=$1
shift
flags=$("$PKG_CONFIG" --static --cflags --libs scalay | sed 's/ -lscalay\([ -]\|$\)/ -l:libscalay.a\1/')
case $flags in *-l:libscalay.a*) ;; *) echo "no library in: $flags"; exit 1 ;; esac
# shellcheck disable=SC2086  # flags are words
"$COMPILER" -o "$program" "$here/c/main.c" $flags
if readelf -d "$program" | grep NEEDED | grep scalay; then exit 1; fi
"$@" "$program"
