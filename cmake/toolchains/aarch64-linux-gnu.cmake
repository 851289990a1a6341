# Debian's cross compiler for arm64, with libraries of that architecture beside those of the machine (docs/packages.md).
# FindMPI asks the compiler wrappers, which are programs of the other architecture: Open MPI's facts are here instead.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_Fortran_COMPILER aarch64-linux-gnu-gfortran)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig)

set(libraries /usr/lib/aarch64-linux-gnu)
set(MPI_C_COMPILER NOTFOUND CACHE FILEPATH "")
set(MPI_C_LIB_NAMES mpi CACHE STRING "")
set(MPI_mpi_LIBRARY ${libraries}/openmpi/lib/libmpi.so CACHE FILEPATH "")
set(MPI_C_HEADER_DIR ${libraries}/openmpi/include CACHE PATH "")
set(MPI_C_ADDITIONAL_INCLUDE_DIRS ${libraries}/openmpi/include/openmpi CACHE STRING "")
set(MPI_SKIP_COMPILER_WRAPPER TRUE)
