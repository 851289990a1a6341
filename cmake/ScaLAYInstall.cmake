# What `cmake --install` puts where: libraries, headers, Fortran modules, the CMake package and the .pc files. The
# command installs itself (src/cli), as scalay-run (src/dropin) and the manual pages (docs) do.
include(CMakePackageConfigHelpers)

set(CMAKE_INSTALL_Fortran_MODULES ${CMAKE_INSTALL_INCLUDEDIR}/scalay/fortran CACHE PATH
  "Where Fortran modules are installed; they fit one compiler only")
set(SCALAY_INSTALL_CMAKE ${CMAKE_INSTALL_LIBDIR}/cmake/ScaLAY)

install(TARGETS scalay EXPORT ScaLAYTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
set_target_properties(scalay_scalapack PROPERTIES EXPORT_NAME scalapack)
install(TARGETS scalay_scalapack EXPORT ScaLAYTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/scalay DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

set(SCALAY_WITH_FORTRAN FALSE)
if(TARGET scalay_fortran)
  set(SCALAY_WITH_FORTRAN TRUE)
  set_target_properties(scalay_fortran PROPERTIES
    EXPORT_NAME fortran VERSION ${PROJECT_VERSION} SOVERSION ${SCALAY_SOVERSION})
  target_include_directories(scalay_fortran PUBLIC $<INSTALL_INTERFACE:${CMAKE_INSTALL_Fortran_MODULES}>)
  install(TARGETS scalay_fortran EXPORT ScaLAYTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY $<TARGET_PROPERTY:scalay_fortran,Fortran_MODULE_DIRECTORY>/
    DESTINATION ${CMAKE_INSTALL_Fortran_MODULES} FILES_MATCHING PATTERN "*.mod")
endif()

install(EXPORT ScaLAYTargets NAMESPACE scalay:: DESTINATION ${SCALAY_INSTALL_CMAKE})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/ScaLAYConfig.cmake.in
  ${PROJECT_BINARY_DIR}/ScaLAYConfig.cmake INSTALL_DESTINATION ${SCALAY_INSTALL_CMAKE})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ScaLAYConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ScaLAYConfig.cmake ${PROJECT_BINARY_DIR}/ScaLAYConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/FindScaLAPACK.cmake ${PROJECT_SOURCE_DIR}/cmake/FindPAPI.cmake ${PROJECT_SOURCE_DIR}/cmake/ScaLAYMPI.cmake
  DESTINATION ${SCALAY_INSTALL_CMAKE})

# scalay_pc_folder(FOLDER OUT): a folder of GNUInstallDirs as it stands in a .pc file, movable with the prefix.
function(scalay_pc_folder folder out)
  if(IS_ABSOLUTE "${folder}")
    set(${out} "${folder}" PARENT_SCOPE)
  else()
    set(${out} "\${prefix}/${folder}" PARENT_SCOPE)
  endif()
endfunction()
scalay_pc_folder("${CMAKE_INSTALL_LIBDIR}" SCALAY_PC_LIBDIR)
scalay_pc_folder("${CMAKE_INSTALL_INCLUDEDIR}" SCALAY_PC_INCLUDEDIR)
scalay_pc_folder("${CMAKE_INSTALL_Fortran_MODULES}" SCALAY_PC_MODULEDIR)
file(RELATIVE_PATH SCALAY_PC_TO_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" SCALAY_PC_TO_PREFIX "${SCALAY_PC_TO_PREFIX}")
list(JOIN SCALAPACK_LIBRARIES " " SCALAY_PC_SCALAPACK)
list(JOIN LAPACK_LIBRARIES " " SCALAY_PC_LAPACK)
set(SCALAY_PC_PAPI "")
if(PAPI_FOUND)
  set(SCALAY_PC_PAPI ${PAPI_LIBRARY})
endif()
set(SCALAY_PC_REQUIRES "")
if(HWLOC_FOUND)
  set(SCALAY_PC_REQUIRES hwloc)
endif()
set(SCALAY_PC_DL "")
if(CMAKE_DL_LIBS)
  set(SCALAY_PC_DL "-l${CMAKE_DL_LIBS}")
endif()

set(SCALAY_PC_FILES scalay scalay-scalapack)
if(SCALAY_WITH_FORTRAN)
  list(APPEND SCALAY_PC_FILES scalay-fortran)
endif()
foreach(name IN LISTS SCALAY_PC_FILES)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
