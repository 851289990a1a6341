# What `cmake --install` puts where: libraries, headers, Fortran modules, the CMake package, the .pc files, documents and
# examples. The command installs itself (src/cli), as scalay-run (src/dropin) and the manual pages (docs) do.
include(CMakePackageConfigHelpers)

set(CMAKE_INSTALL_Fortran_MODULES ${CMAKE_INSTALL_INCLUDEDIR}/scalay/fortran CACHE STRING
  "Where Fortran modules are installed; they fit one compiler only")
set(SCALAY_INSTALL_CMAKE ${CMAKE_INSTALL_LIBDIR}/cmake/ScaLAY)

install(TARGETS scalay EXPORT ScaLAYTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(BUILD_SHARED_LIBS)  # the same objects once more, for `pkg-config --static`
  install(FILES $<TARGET_FILE:scalay_internal> DESTINATION ${CMAKE_INSTALL_LIBDIR} RENAME libscalay${SCALAY_SUFFIX}.a)
endif()
set_target_properties(scalay_scalapack PROPERTIES EXPORT_NAME scalapack)
install(TARGETS scalay_scalapack EXPORT ScaLAYTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/scalay DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

set(SCALAY_WITH_FORTRAN FALSE)
if(TARGET scalay_fortran)
  set(SCALAY_WITH_FORTRAN TRUE)
  set_target_properties(scalay_fortran PROPERTIES EXPORT_NAME fortran
    OUTPUT_NAME scalay_fortran${SCALAY_SUFFIX} VERSION ${PROJECT_VERSION} SOVERSION ${SCALAY_SOVERSION})
  target_include_directories(scalay_fortran PUBLIC $<INSTALL_INTERFACE:${CMAKE_INSTALL_Fortran_MODULES}>)
  install(TARGETS scalay_fortran EXPORT ScaLAYTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY $<TARGET_PROPERTY:scalay_fortran,Fortran_MODULE_DIRECTORY>/
    DESTINATION ${CMAKE_INSTALL_Fortran_MODULES} FILES_MATCHING PATTERN "*.mod")
endif()

install(EXPORT ScaLAYTargets NAMESPACE scalay:: FILE ScaLAYTargets${SCALAY_SUFFIX}.cmake DESTINATION ${SCALAY_INSTALL_CMAKE})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/ScaLAYConfig.cmake.in
  ${PROJECT_BINARY_DIR}/ScaLAYConfig.cmake INSTALL_DESTINATION ${SCALAY_INSTALL_CMAKE})
configure_file(${PROJECT_SOURCE_DIR}/cmake/ScaLAYBuild.cmake.in ${PROJECT_BINARY_DIR}/ScaLAYBuild${SCALAY_SUFFIX}.cmake @ONLY)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ScaLAYConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ScaLAYConfig.cmake ${PROJECT_BINARY_DIR}/ScaLAYBuild${SCALAY_SUFFIX}.cmake
  ${PROJECT_BINARY_DIR}/ScaLAYConfigVersion.cmake ${PROJECT_SOURCE_DIR}/cmake/FindScaLAPACK.cmake
  ${PROJECT_SOURCE_DIR}/cmake/FindPAPI.cmake ${PROJECT_SOURCE_DIR}/cmake/FindParallelHDF5.cmake ${PROJECT_SOURCE_DIR}/cmake/ScaLAYMPI.cmake
  DESTINATION ${SCALAY_INSTALL_CMAKE})

install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/LICENSE
  ${PROJECT_SOURCE_DIR}/CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
  PATTERN man EXCLUDE PATTERN "Doxyfile*" EXCLUDE PATTERN manuals.cmake EXCLUDE
  REGEX "docs/CMakeLists.txt" EXCLUDE)

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
# The loader finds libraries in /usr by itself.
set(SCALAY_PC_RPATH "-Wl,-rpath,\${libdir}")
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(SCALAY_PC_RPATH "")
endif()
# What libscalay.a needs besides MPI, as files: a program that links the shared library needs none of their packages.
set(SCALAY_PC_PRIVATE ${SCALAPACK_LIBRARIES} ${LAPACK_LIBRARIES})
if(PAPI_FOUND)
  list(APPEND SCALAY_PC_PRIVATE ${PAPI_LIBRARY})
endif()
if(HWLOC_FOUND)
  list(APPEND SCALAY_PC_PRIVATE ${HWLOC_LINK_LIBRARIES})
endif()
list(APPEND SCALAY_PC_PRIVATE ${SCALAY_HDF5_LIBRARIES} ${CMAKE_THREAD_LIBS_INIT} ${OpenMP_C_FLAGS} -lm)
if(CMAKE_DL_LIBS)
  list(APPEND SCALAY_PC_PRIVATE -l${CMAKE_DL_LIBS})
endif()
list(JOIN SCALAY_PC_PRIVATE " " SCALAY_PC_PRIVATE)

set(SCALAY_PC_FILES scalay scalay-scalapack)
if(SCALAY_WITH_FORTRAN)
  list(APPEND SCALAY_PC_FILES scalay-fortran)
endif()
foreach(name IN LISTS SCALAY_PC_FILES)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}${SCALAY_SUFFIX}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}${SCALAY_SUFFIX}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

include(ScaLAYPackage)
