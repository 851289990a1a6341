#!/bin/sh
# examples_build.sh CMAKE PREFIX EXAMPLES FOLDER: the installed examples build with the installed package alone.
set -e
rm -rf "$4"
"$1" -S "$3" -B "$4" -DCMAKE_PREFIX_PATH="$2" >/dev/null
"$1" --build "$4" -j 2 >/dev/null
[ -x "$4/example_layout" ]
