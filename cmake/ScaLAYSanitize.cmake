# The address and undefined behaviour sanitizers for everything that is built. Executables bring functions by which a leak
# report knows whose memory it is, and cgemv and zgemv that read no element behind their operands.
set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
add_compile_options("$<$<COMPILE_LANGUAGE:C>:${sanitizers}>")
add_link_options(-fsanitize=address,undefined)

add_library(scalay_sanitized OBJECT ${PROJECT_SOURCE_DIR}/tests/support/named_leaks.c
  ${PROJECT_SOURCE_DIR}/tests/support/plain_gemv.c)
set(CMAKE_ENABLE_EXPORTS ON)
link_libraries("$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:$<TARGET_OBJECTS:scalay_sanitized>>")

# Unwinding by frame pointers takes a quarter of the time; short call chains and a small store of freed blocks take half.
# In huge pages the shadow of the memory has fewer first accesses. Names of the functions in a report take a third of the
# time, in tests without errors, too: addr2line finds them.
set(SCALAY_SANITIZE_ENVIRONMENT
  ASAN_OPTIONS=fast_unwind_on_malloc=1:malloc_context_size=8:quarantine_size_mb=8:detect_leaks=1:symbolize=0:no_huge_pages_for_shadow=0:allocator_may_return_null=1
  LSAN_OPTIONS=fast_unwind_on_malloc=1:print_suppressions=0:suppressions=${PROJECT_SOURCE_DIR}/tests/support/leaks.supp
  UBSAN_OPTIONS=print_stacktrace=1)
