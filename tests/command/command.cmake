# SPDX-License-Identifier: MIT
#
# Tests of the desktop command: every command/*_test.cpp runs it as a child process; tools/ looks inside.
if(NOT TARGET heed_command)
  return()
endif()

add_library(command_files OBJECT command/command.cpp)
heed_set_up_test(command_files)
target_include_directories(command_files SYSTEM PRIVATE ${json_include})
target_compile_definitions(command_files PRIVATE HEED_COMMAND_PATH="$<TARGET_FILE:heed_command>")
file(GLOB command_tests RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/command CONFIGURE_DEPENDS command/*_test.cpp)
list(TRANSFORM command_tests REPLACE "[.]cpp$" "")
foreach(name ${command_tests})
  heed_add_data_test(command/${name})
  target_sources(${name} PRIVATE $<TARGET_OBJECTS:command_files>)
  add_dependencies(${name} heed_command)
endforeach()
heed_add_test(tools/error_compensation_test LABEL unit)
target_link_libraries(error_compensation_test PRIVATE heed_tools)
add_library(heed_round_upward MODULE command/round_upward.c)
target_link_libraries(heed_round_upward PRIVATE m)
add_dependencies(command_environment_test heed_round_upward)
target_compile_definitions(command_environment_test PRIVATE
  HEED_ROUND_UPWARD_PATH="$<TARGET_FILE:heed_round_upward>")
add_library(heed_failing_read MODULE command/failing_read.c)
target_link_libraries(heed_failing_read PRIVATE ${CMAKE_DL_LIBS})
add_dependencies(command_files_test heed_failing_read)
target_compile_definitions(command_files_test PRIVATE
  HEED_FAILING_READ_PATH="$<TARGET_FILE:heed_failing_read>" HEED_COMMAND_PATH="$<TARGET_FILE:heed_command>")
foreach(name command_array_test command_layer_type_test command_pack_model_test command_pack_test)
  target_compile_definitions(${name} PRIVATE
    HEED_C_COMPILER="${CMAKE_C_COMPILER}" HEED_CXX_COMPILER="${CMAKE_CXX_COMPILER}")
endforeach()
