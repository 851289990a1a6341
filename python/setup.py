"""Builds the package against an installed library: pkg-config finds it, or CFLAGS and LDFLAGS name it. The environment
variable SCALAY_LIBRARY names one of several: scalay-openmpi, scalay-mpich (default: scalay)."""
import os
import shlex
import subprocess
import sys
from pathlib import Path

from setuptools import setup

sys.path.insert(0, str(Path(__file__).parent))
from build_scalay import builder  # noqa: E402

os.environ.setdefault("CC", "mpicc")
LIBRARY = os.environ.get("SCALAY_LIBRARY", "scalay")


def library(option: str) -> list[str]:
    """Flags from pkg-config; a library outside the system's folders is found again when it is loaded."""
    flags = subprocess.run(["pkg-config", option, LIBRARY], capture_output=True, text=True, check=False).stdout.split()
    return flags + [f"-Wl,-rpath,{flag[2:]}" for flag in flags if flag.startswith("-L")]


compile_flags, link_flags = library("--cflags"), library("--libs") or [f"-l{LIBRARY}"]
extension = builder(shlex.split(os.environ["CC"]) + compile_flags + shlex.split(os.environ.get("CFLAGS", "")),
                    extra_compile_args=compile_flags + ["-O1", "-w"],
                    extra_link_args=link_flags).distutils_extension(tmpdir="build")
setup(ext_modules=[extension])
