# Finds ScaLAPACK with its BLACS for the MPI at hand; makes the target ScaLAPACK::ScaLAPACK.
# SCALAPACK_LIBRARIES, when set, wins. Debian's scalapack CONFIG package is broken: it is not used.
include(FindPackageHandleStandardArgs)
if(NOT SCALAPACK_LIBRARIES)
  find_package(PkgConfig QUIET)
  pkg_search_module(PC_SCALAPACK QUIET IMPORTED_TARGET scalapack-openmpi scalapack)
  set(SCALAPACK_LIBRARIES ${PC_SCALAPACK_LINK_LIBRARIES})
endif()
find_package_handle_standard_args(ScaLAPACK REQUIRED_VARS SCALAPACK_LIBRARIES)
if(ScaLAPACK_FOUND AND NOT TARGET ScaLAPACK::ScaLAPACK)
  add_library(ScaLAPACK::ScaLAPACK INTERFACE IMPORTED)
  target_link_libraries(ScaLAPACK::ScaLAPACK INTERFACE ${SCALAPACK_LIBRARIES})
endif()
