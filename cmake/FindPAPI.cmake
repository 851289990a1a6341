# Finds PAPI, the interface to the machine's counters; makes PAPI::PAPI. Debian: libpapi-dev.
include(FindPackageHandleStandardArgs)
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
  pkg_check_modules(PC_PAPI QUIET papi)
endif()
find_path(PAPI_INCLUDE_DIR papi.h HINTS ${PC_PAPI_INCLUDE_DIRS})
find_library(PAPI_LIBRARY papi HINTS ${PC_PAPI_LIBDIR} ${PC_PAPI_LIBRARY_DIRS})
mark_as_advanced(PAPI_INCLUDE_DIR PAPI_LIBRARY)
find_package_handle_standard_args(PAPI REQUIRED_VARS PAPI_LIBRARY PAPI_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "without it there are no counters. On Debian, apt-get install libpapi-dev")
if(PAPI_FOUND AND NOT TARGET PAPI::PAPI)
  add_library(PAPI::PAPI UNKNOWN IMPORTED)
  set_target_properties(PAPI::PAPI PROPERTIES
    IMPORTED_LOCATION ${PAPI_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${PAPI_INCLUDE_DIR})
endif()
