# Symbol versions. A function carries the version that first declared it, so that a program says which ScaLAY it needs.
include(CheckLinkerFlag)
set(SCALAY_SYMBOL_VERSION SCALAY_0.2)  # a function that is added later gets a node of its own (docs/release.md)
file(WRITE ${PROJECT_BINARY_DIR}/symbols/probe.map "${SCALAY_SYMBOL_VERSION} {\n  global:\n    *;\n};\n")
check_linker_flag(C "LINKER:--version-script=${PROJECT_BINARY_DIR}/symbols/probe.map" SCALAY_HAVE_VERSION_SCRIPT)

# scalay_version_symbols(TARGET PATTERNS [OTHERS [PRIVATE]]): gives a version to the symbols of a shared library that
# match a pattern (a list). OTHERS, "local: *;", hides the rest; without it, the rest has no version. PRIVATE: a list of
# symbols for our other libraries, with a version that says so.
function(scalay_version_symbols target patterns)
  get_target_property(type ${target} TYPE)
  if(NOT SCALAY_HAVE_VERSION_SCRIPT OR NOT type STREQUAL SHARED_LIBRARY)
    return()
  endif()
  set(script ${PROJECT_BINARY_DIR}/symbols/${target}.map)
  list(JOIN patterns ";\n    " lines)
  set(private "")
  if(ARGC GREATER 3)
    list(JOIN ARGV3 ";\n    " private)
    set(private "SCALAY_PRIVATE {\n  global:\n    ${private};\n};\n")
  endif()
  file(CONFIGURE OUTPUT ${script} CONTENT
    "${SCALAY_SYMBOL_VERSION} {\n  global:\n    ${lines};\n${ARGV2}\n};\n${private}" @ONLY)
  target_link_options(${target} PRIVATE LINKER:--version-script=${script})
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${script})
endfunction()

# scalay_declared_functions(OUT): the functions that the public headers declare for libscalay.
function(scalay_declared_functions out)
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/scalay/*.h)
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers})
  set(names "")
  foreach(header IN LISTS headers)
    file(READ ${header} text)
    string(REGEX MATCHALL "\nSCALAY_API[ \n][^;()]*[ *\n]scalay_[a-z0-9_]+\\(" declarations "${text}")
    list(TRANSFORM declarations REPLACE ".*[ *\n](scalay_[a-z0-9_]+)\\($" "\\1")
    list(APPEND names ${declarations})
  endforeach()
  list(REMOVE_DUPLICATES names)
  set(${out} "${names}" PARENT_SCOPE)
endfunction()
