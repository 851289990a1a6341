#!/bin/sh
# missing.sh CMAKE SOURCE FOLDER MPICC MPIF90: packages that are missing are named in one message.
rm -rf "$3"
if output=$(PKG_CONFIG_LIBDIR=/nonexistent PKG_CONFIG_PATH='' "$1" -S "$2" -B "$3" -DMPI_C_COMPILER="$4" \
    -DMPI_Fortran_COMPILER="$5" 2>&1); then
    echo "it was configured: $output"
    exit 1
fi
output=$(printf '%s' "$output" | tr -s '\n ' '  ')
case $output in
*'Missing: jansson, cmocka, lapacke.'*'apt-get install libjansson-dev libcmocka-dev liblapacke-dev'*) ;;
*) echo "$output"; exit 1 ;;
esac
