#!/bin/sh
# flavour.sh CMAKE PREFIX FLAVOUR PROJECT FOLDER: a project that uses another MPI than ScaLAY is told the compilers to use.
cmake=$1
prefix=$2
flavour=$3
project=$4
folder=$5
case $flavour in
openmpi) other=mpich named='built for Open MPI' ;;
mpich) other=openmpi named='built for MPICH' ;;
*) exit 0 ;;
esac
command -v "mpicc.$other" >/dev/null || { echo "there is no mpicc.$other to try with"; exit 0; }
rm -rf "$folder"
if output=$("$cmake" -S "$project" -B "$folder" -DCMAKE_PREFIX_PATH="$prefix" -DMPI_C_COMPILER="mpicc.$other" 2>&1); then
    echo "a project with mpicc.$other was configured: $output"
    exit 1
fi
# The message is broken into lines.
output=$(printf '%s' "$output" | tr -s '\n ' '  ')
for words in "$named" '-DMPI_C_COMPILER=' "libscalay-$other-dev"; do
    case $output in *"$words"*) ;; *) echo "no '$words' in: $output"; exit 1 ;; esac
done
