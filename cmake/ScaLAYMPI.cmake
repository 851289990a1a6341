# Which MPI a library was built for, so that two of them never meet in one program. Installed beside the package
# configuration: consumers check with it too.

# scalay_mpi_flavour(OUT): "openmpi", "mpich" or "" (another one), told by the mpi.h that FindMPI found.
function(scalay_mpi_flavour out)
  include(CheckSymbolExists)
  set(CMAKE_REQUIRED_QUIET ON)
  set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
  check_symbol_exists(OPEN_MPI mpi.h SCALAY_MPI_IS_OPENMPI)
  check_symbol_exists(MPICH_VERSION mpi.h SCALAY_MPI_IS_MPICH)
  set(flavour "")
  if(SCALAY_MPI_IS_OPENMPI)
    set(flavour openmpi)
  elseif(SCALAY_MPI_IS_MPICH)
    set(flavour mpich)
  endif()
  set(${out} "${flavour}" PARENT_SCOPE)
endfunction()

# scalay_mpi_name(FLAVOUR OUT): what people call it.
function(scalay_mpi_name flavour out)
  set(name "another MPI")
  if(flavour STREQUAL "openmpi")
    set(name "Open MPI")
  elseif(flavour STREQUAL "mpich")
    set(name "MPICH")
  endif()
  set(${out} "${name}" PARENT_SCOPE)
endfunction()

# scalay_read_dynamic(LIBRARY TAG OUT): the values of NEEDED or SONAME entries of a shared library; empty when it is
# not a shared library or when there is no readelf.
function(scalay_read_dynamic library tag out)
  set(values "")
  find_program(SCALAY_READELF NAMES "${CMAKE_READELF}" readelf llvm-readelf)
  mark_as_advanced(SCALAY_READELF)
  if(SCALAY_READELF AND EXISTS "${library}" AND NOT IS_DIRECTORY "${library}")
    execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C ${SCALAY_READELF} -d "${library}"
      OUTPUT_VARIABLE dynamic ERROR_QUIET)
    string(REPLACE "[" "<" dynamic "${dynamic}")  # a bracket would keep a CMake list from being split
    string(REPLACE "]" ">" dynamic "${dynamic}")
    string(REGEX MATCHALL "\\(${tag}\\)[^\n]*<[^>\n]*" lines "${dynamic}")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE ".*<" "" value "${line}")
      list(APPEND values "${value}")
    endforeach()
  endif()
  set(${out} "${values}" PARENT_SCOPE)
endfunction()

# scalay_check_mpi(LIBRARIES OUT): OUT is empty when none of the libraries needs an MPI other than the one that FindMPI
# found, and otherwise a sentence with both. Static libraries do not tell, and pass.
function(scalay_check_mpi libraries out)
  set(ours "")
  foreach(library IN LISTS MPI_C_LIBRARIES MPI_Fortran_LIBRARIES)
    scalay_read_dynamic("${library}" SONAME soname)
    list(APPEND ours ${soname})
  endforeach()
  set(sentence "")
  foreach(library IN LISTS libraries)
    scalay_read_dynamic("${library}" NEEDED needed)
    list(FILTER needed INCLUDE REGEX "^lib(mpi|mpich|mpi_mpifh|mpifort|mpichfort|fmpich|mpicxx)\\.")
    set(foreign ${needed})
    list(REMOVE_ITEM foreign "" ${ours})
    if(ours AND foreign AND foreign STREQUAL needed)
      list(FILTER ours INCLUDE REGEX "^lib(mpi|mpich)\\.")
      list(REMOVE_DUPLICATES ours)
      list(JOIN needed ", " theirs)
      list(JOIN ours ", " mine)
      set(sentence "${library} was built for another MPI (it needs ${theirs}) than the one in use (${mine})")
    endif()
  endforeach()
  set(${out} "${sentence}" PARENT_SCOPE)
endfunction()
