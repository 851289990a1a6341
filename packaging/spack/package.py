# Spack recipe: copy this folder to packages/scalay of a repository of recipes (docs/packages.md).
from spack.package import *


class Scalay(CMakePackage):
    """Redistribution of ScaLAPACK matrices along optimal mappings, and products and factorisations on processes of
    different speeds. C library, Fortran modules, and a command."""

    # The archive of a release: spack install --no-checksum, or a version with its sha256 here.
    git = "file:///path/to/scalay"

    license("BSD-3-Clause")

    version("0.2.0", tag="v0.2.0")
    version("main", branch="main")

    variant("shared", default=True, description="Build shared libraries")
    variant("fortran", default=True, description="Build the Fortran modules")
    variant("hdf5", default=True, description="Read and write datasets of HDF5 files")
    variant("papi", default=False, description="Read counters and energy with PAPI")
    variant("python", default=False, description="Build the Python package")

    depends_on("c", type="build")
    depends_on("fortran", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("scalapack")
    depends_on("lapack")
    depends_on("blas")
    depends_on("jansson")
    depends_on("hwloc@2:")
    depends_on("hdf5+mpi", when="+hdf5")
    depends_on("papi", when="+papi")
    with when("+python"):
        extends("python@3.9:")
        depends_on("py-cffi@1.15:", type=("build", "run"))
        depends_on("py-mpi4py", type=("build", "run"))
        depends_on("py-numpy", type=("build", "run"))
        conflicts("~shared", msg="the Python package needs shared libraries")

    def cmake_args(self):
        spec = self.spec
        libraries = spec["scalapack"].libs + spec["lapack"].libs + spec["blas"].libs
        return [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("SCALAY_BUILD_FORTRAN", "fortran"),
            self.define_from_variant("SCALAY_HDF5", "hdf5"),
            self.define_from_variant("SCALAY_BUILD_PYTHON", "python"),
            self.define("SCALAY_BUILD_TESTS", self.run_tests),
            self.define("SCALAY_BUILD_EXAMPLES", False),
            self.define("SCALAY_BUILD_BENCHMARKS", False),
            self.define("MPI_C_COMPILER", spec["mpi"].mpicc),
            self.define("MPI_Fortran_COMPILER", spec["mpi"].mpifc),
            self.define("SCALAPACK_LIBRARIES", libraries.joined(";")),
        ]
