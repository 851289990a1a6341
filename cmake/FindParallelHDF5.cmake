# Finds the parallel HDF5 that belongs to the MPI that FindMPI found; makes ParallelHDF5::HDF5.
#
# pkg-config names the folder (Debian: hdf5-openmpi, hdf5-mpich); elsewhere it is that of plain hdf5, or of
# HDF5_ROOT. Only HDF5 itself is taken from there. A serial HDF5, and one that was built for another MPI, are refused.
include(FindPackageHandleStandardArgs)
include(CheckSymbolExists)
include(${CMAKE_CURRENT_LIST_DIR}/ScaLAYMPI.cmake)

scalay_mpi_flavour(ParallelHDF5_flavour)
set(ParallelHDF5_why "without it, there are no .h5 files")
if(ParallelHDF5_flavour)
  string(APPEND ParallelHDF5_why ". On Debian, apt-get install libhdf5-${ParallelHDF5_flavour}-dev")
endif()
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
  pkg_search_module(PC_PARALLEL_HDF5 QUIET hdf5-${ParallelHDF5_flavour} hdf5)
endif()
find_path(ParallelHDF5_INCLUDE_DIR hdf5.h HINTS ${HDF5_ROOT} ENV HDF5_ROOT ${PC_PARALLEL_HDF5_INCLUDE_DIRS}
  PATH_SUFFIXES include)
find_library(ParallelHDF5_LIBRARY hdf5 HINTS ${HDF5_ROOT} ENV HDF5_ROOT ${PC_PARALLEL_HDF5_LIBDIR}
  ${PC_PARALLEL_HDF5_LIBRARY_DIRS} PATH_SUFFIXES lib)
mark_as_advanced(ParallelHDF5_INCLUDE_DIR ParallelHDF5_LIBRARY)

set(ParallelHDF5_is_parallel FALSE)
if(ParallelHDF5_INCLUDE_DIR)
  set(CMAKE_REQUIRED_QUIET ON)
  set(CMAKE_REQUIRED_INCLUDES ${ParallelHDF5_INCLUDE_DIR})
  set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
  check_symbol_exists(H5_HAVE_PARALLEL hdf5.h ScaLAY_HDF5_PARALLEL)
  unset(CMAKE_REQUIRED_INCLUDES)
  unset(CMAKE_REQUIRED_LIBRARIES)
  set(ParallelHDF5_is_parallel ${ScaLAY_HDF5_PARALLEL})
endif()
scalay_check_mpi("${ParallelHDF5_LIBRARY}" ParallelHDF5_other_mpi)
set(ParallelHDF5_mpi_agrees TRUE)
if(ParallelHDF5_other_mpi)
  set(ParallelHDF5_mpi_agrees FALSE)
  set(ParallelHDF5_why "${ParallelHDF5_other_mpi}: ${ParallelHDF5_why}")
endif()

find_package_handle_standard_args(ParallelHDF5
  REQUIRED_VARS ParallelHDF5_LIBRARY ParallelHDF5_INCLUDE_DIR ParallelHDF5_is_parallel ParallelHDF5_mpi_agrees
  REASON_FAILURE_MESSAGE "${ParallelHDF5_why}")
if(ParallelHDF5_FOUND AND NOT TARGET ParallelHDF5::HDF5)
  add_library(ParallelHDF5::HDF5 UNKNOWN IMPORTED)
  set_target_properties(ParallelHDF5::HDF5 PROPERTIES
    IMPORTED_LOCATION ${ParallelHDF5_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${ParallelHDF5_INCLUDE_DIR})
endif()
