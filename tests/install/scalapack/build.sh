#!/bin/sh
# build.sh PROGRAM LAUNCHER...: builds main.c with pkg-config's flags alone, and runs it.
set -e
here=$(dirname "$0")
program=$1
shift
# shellcheck disable=SC2046,SC2086  # flags are words
"$COMPILER" -o "$program" "$here/main.c" $("$PKG_CONFIG" --cflags --libs scalay-scalapack) $SCALAPACK
LD_LIBRARY_PATH=$LIBDIR${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$@" "$program"
