# Finds the ScaLAPACK (with its BLACS) that belongs to the MPI that FindMPI found; makes ScaLAPACK::ScaLAPACK.
#
# SCALAPACK_LIBRARIES, when set, wins. Otherwise pkg-config names the folder: scalapack-openmpi or scalapack-mpich
# according to the MPI, else plain scalapack, else the usual folders. Only ScaLAPACK itself is taken from there, for the
# MPI of the .pc file can be another (Debian's scalapack-mpich.pc brings Open MPI's flags when Open MPI is the default).
# Debian's CMake package of ScaLAPACK is not used: it stops with an error when one of the two MPIs is missing.
include(FindPackageHandleStandardArgs)
include(${CMAKE_CURRENT_LIST_DIR}/ScaLAYMPI.cmake)

if(NOT MPI_C_FOUND)
  find_package(MPI QUIET COMPONENTS C)
endif()
set(ScaLAPACK_why "set SCALAPACK_LIBRARIES to the libraries of a ScaLAPACK built for this MPI")

if(MPI_C_FOUND AND NOT SCALAPACK_LIBRARIES)
  scalay_mpi_flavour(ScaLAPACK_flavour)
  set(ScaLAPACK_names scalapack)
  if(ScaLAPACK_flavour)
    list(PREPEND ScaLAPACK_names scalapack-${ScaLAPACK_flavour})
    set(ScaLAPACK_why "on Debian: apt-get install libscalapack-${ScaLAPACK_flavour}-dev, elsewhere: ${ScaLAPACK_why}")
  endif()
  find_package(PkgConfig QUIET)
  if(PKG_CONFIG_FOUND)
    pkg_search_module(PC_SCALAPACK QUIET ${ScaLAPACK_names})
  endif()
  find_library(ScaLAPACK_LIBRARY NAMES ${ScaLAPACK_names} NAMES_PER_DIR
    HINTS ${PC_SCALAPACK_LIBDIR} ${PC_SCALAPACK_LIBRARY_DIRS})
  mark_as_advanced(ScaLAPACK_LIBRARY)
  if(ScaLAPACK_LIBRARY)
    set(SCALAPACK_LIBRARIES ${ScaLAPACK_LIBRARY})
  endif()
endif()

# LAPACK and BLAS: the ones that this ScaLAPACK already needs, so that a program does not load two.
if(SCALAPACK_LIBRARIES AND NOT TARGET LAPACK::LAPACK)
  list(GET SCALAPACK_LIBRARIES 0 ScaLAPACK_first)
  scalay_read_dynamic("${ScaLAPACK_first}" NEEDED ScaLAPACK_needed)
  set(ScaLAPACK_vendor "${BLA_VENDOR}")
  if(NOT BLA_VENDOR AND ScaLAPACK_needed MATCHES "liblapack\\.so")
    set(BLA_VENDOR Generic)
  endif()
  find_package(LAPACK QUIET)
  set(BLA_VENDOR "${ScaLAPACK_vendor}")
endif()

scalay_check_mpi("${SCALAPACK_LIBRARIES}" ScaLAPACK_other_mpi)
if(ScaLAPACK_other_mpi)
  set(ScaLAPACK_why "${ScaLAPACK_other_mpi}: ${ScaLAPACK_why}")
  set(ScaLAPACK_mpi_agrees FALSE)
else()
  set(ScaLAPACK_mpi_agrees TRUE)
endif()

find_package_handle_standard_args(ScaLAPACK
  REQUIRED_VARS SCALAPACK_LIBRARIES LAPACK_FOUND MPI_C_FOUND ScaLAPACK_mpi_agrees
  REASON_FAILURE_MESSAGE "${ScaLAPACK_why}")
if(ScaLAPACK_FOUND AND NOT TARGET ScaLAPACK::ScaLAPACK)
  add_library(ScaLAPACK::ScaLAPACK INTERFACE IMPORTED)
  target_link_libraries(ScaLAPACK::ScaLAPACK INTERFACE ${SCALAPACK_LIBRARIES} LAPACK::LAPACK MPI::MPI_C)
endif()
