# cmake -DPROGRAM=... -P error_stop.cmake: it must fail, with the message of the library, and not go on.
execute_process(COMMAND ${PROGRAM} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE error)
set(message "SCALAY_ERROR_ARGUMENT: scalay_layout_block_cyclic: mb is 0")
if(result EQUAL 0 OR output MATCHES "went on" OR NOT error MATCHES "${message}")
  message(FATAL_ERROR "result ${result}\n${output}\n${error}")
endif()
