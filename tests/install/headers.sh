#!/bin/sh
# headers.sh FOLDER COMPILER [FLAG...]: every installed header compiles on its own, without a warning.
set -e
folder=$1
shift
for header in "$folder"/scalay/*.h; do
    printf '#include <scalay/%s>\ntypedef int iso_forbids_an_empty_unit;\n' "$(basename "$header")" |
        "$@" -I"$folder" -Wall -Wextra -Wpedantic -Werror -fsyntax-only -
done
