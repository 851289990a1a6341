# `cpack -G TGZ` and `cpack -G DEB`: an archive and one Debian package of what `cmake --install` installs, for the MPI of
# the build. debian/ makes the split packages of a distribution.
set(CPACK_PACKAGE_NAME scalay${SCALAY_SUFFIX})
if(NOT SCALAY_SUFFIX AND SCALAY_MPI_FLAVOUR)
  set(CPACK_PACKAGE_NAME scalay-${SCALAY_MPI_FLAVOUR})
endif()
set(CPACK_PACKAGE_VENDOR "ScaLAY developers")
set(CPACK_PACKAGE_CONTACT "ScaLAY developers <scalay@users.noreply.github.com>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Redistribution of ScaLAPACK matrices along optimal mappings")
set(CPACK_PACKAGE_DESCRIPTION "ScaLAY moves ScaLAPACK matrices to the layout that the next routine needs, along the mapping that
sends least, and computes on processes of different speeds. C library, Fortran modules and command.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_GENERATOR TGZ)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # the libraries and the MPI that the build linked
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS gnuplot-nox)
include(CPack)
