"""Builds scalay._scalay, the C side of the package, by cffi from the headers of the library.

    python3 build_scalay.py OUTPUT.c COMPILER FLAG...   writes the source; CMake compiles it
    setup.py                                            compiles it against an installed library
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import cffi

SOURCE = """
#include <scalay/scalay.h>
#ifdef OPEN_MPI
static const char *scalay_python_mpi(void) { return "Open MPI"; }
#else
static const char *scalay_python_mpi(void) { return "MPICH"; }
#endif
"""

# ScaLAPACK's solvers, which solve() calls on factored matrices. All arguments are addresses.
SOLVERS = {"getrs": 13, "potrs": 12, "trtrs": 14, "ormqr": 17, "unmqr": 17}
ROUTINES = [f"p{letter}{name}_" for letter in "sdcz" for name in SOLVERS
            if name != ("unmqr" if letter in "sd" else "ormqr")]


def solvers() -> str:
    """Declarations of the routines of SOLVERS in all precisions."""
    return "\n".join(f"void {routine}({', '.join(['void *'] * SOLVERS[routine[2:-1]])});"
                     for routine in ROUTINES)


def declarations(compiler: list[str]) -> str:
    """What the public headers declare, without the parts that cffi does not need."""
    with tempfile.NamedTemporaryFile("w", suffix=".c") as file:  # mpicc adds its flags for a file
        file.write(SOURCE)
        file.flush()
        text = subprocess.run([*compiler, "-E", file.name], stdout=subprocess.PIPE, text=True,
                              check=True).stdout
    ours = []
    is_ours = False
    for line in text.splitlines():
        if line.startswith("# "):
            is_ours = re.search(r'/scalay/(?!mpi)\w+\.h"', line) is not None
        elif is_ours:
            ours.append(line)
    text = re.sub(r"__attribute__\(\(visibility\(\"default\"\)\)\)", "", "\n".join(ours))
    text = re.sub(r"^static inline .*?^}", "", text, flags=re.S | re.M)
    return re.sub(r"[^;]*\bMPI_Comm\b[^;]*;", "", text)  # mpi4py passes Fortran handles


def builder(compiler: list[str], **arguments: list[str]) -> cffi.FFI:
    """The description of the module. `arguments` are those of a setuptools extension."""
    ffi = cffi.FFI()
    ffi.cdef("typedef int... MPI_Fint; static const char *scalay_python_mpi(void);")
    ffi.cdef(declarations(compiler) + solvers())
    ffi.set_source("scalay._scalay", SOURCE + solvers(), **arguments)
    return ffi


if __name__ == "__main__":
    Path(sys.argv[1]).parent.mkdir(parents=True, exist_ok=True)
    builder(sys.argv[2:]).emit_c_code(sys.argv[1])
