# SPDX-License-Identifier: MIT
#
# Tests of the desktop command: what command/ has runs it as a child process; tools/ looks inside.
if(NOT TARGET heed_command)
  return()
endif()

# One program of a few files, which the headers of JSON and xtensor make long to compile.
file(GLOB command_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/command/*.cpp)
add_executable(command_tests ${command_sources} $<TARGET_OBJECTS:test_main>)
heed_set_up_test(command_tests)
set_target_properties(command_tests PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
target_include_directories(command_tests SYSTEM PRIVATE ${json_include})
add_library(heed_round_upward MODULE command/round_upward.c)
target_link_libraries(heed_round_upward PRIVATE m)
add_library(heed_failing_read MODULE command/failing_read.c)
target_link_libraries(heed_failing_read PRIVATE ${CMAKE_DL_LIBS})
add_dependencies(command_tests heed_command heed_round_upward heed_failing_read)
target_compile_definitions(command_tests PRIVATE
  HEED_TEST_DATA="${CMAKE_CURRENT_SOURCE_DIR}/data" HEED_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
  HEED_COMMAND_PATH="$<TARGET_FILE:heed_command>" HEED_ROUND_UPWARD_PATH="$<TARGET_FILE:heed_round_upward>"
  HEED_FAILING_READ_PATH="$<TARGET_FILE:heed_failing_read>"
  HEED_C_COMPILER="${CMAKE_C_COMPILER}" HEED_CXX_COMPILER="${CMAKE_CXX_COMPILER}")
heed_set_label(data command_tests)
list(FILTER command_sources INCLUDE REGEX "_test\\.cpp$")
foreach(source ${command_sources})
  get_filename_component(name ${source} NAME_WE)
  add_test(NAME ${name} COMMAND command_tests ${name})
  set_tests_properties(${name} PROPERTIES LABELS data)
endforeach()
# The texts of the tokenizers take thousands of processes, of which the ordinary run starts an eighth.
if(NOT HEED_THOROUGH_TESTS)
  set_tests_properties(command_tokenize_test PROPERTIES ENVIRONMENT HEED_TEST_DIVISOR=8)
endif()
heed_add_test(tools/error_compensation_test LABEL data WITH heed_tools)
heed_add_test(tools/progress_test LABEL data WITH heed_tools)
set_source_files_properties(tools/progress_test.cpp PROPERTIES
  COMPILE_DEFINITIONS "HEED_SOURCE_DIR=\"${PROJECT_SOURCE_DIR}\"")
