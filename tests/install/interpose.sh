#!/bin/sh
# interpose.sh COMPILER LIBRARY FOLDER: the library answers for a ScaLAPACK with symbol versions, too. A program that asks
# for pdgemr2d_ of a version is bound to the library if that is loaded first.
set -e
compiler=$1
library=$2
rm -rf "$3"
mkdir -p "$3"
cd "$3"
echo 'void pdgemr2d_(void) {}' >other.c
echo 'OTHER_1 { global: pdgemr2d_; };' >other.map
echo 'void pdgemr2d_(void); int main(int count, char **words) { if (count > 9) pdgemr2d_(); return !words; }' >program.c
"$compiler" -shared -fPIC -o libother.so other.c -Wl,--version-script=other.map
"$compiler" -o program program.c -L. -lother -Wl,-rpath,"$PWD"
bindings() { LD_BIND_NOW=1 LD_DEBUG=bindings LD_PRELOAD=$1 ./program 2>&1 | grep 'file ./program .*pdgemr2d_. \[OTHER_1\]'; }
bindings '' | grep -q libother.so
bindings "$library" | grep -qF "$library"
