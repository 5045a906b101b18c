# SPDX-License-Identifier: MIT
#
# The Python module: that it has the C interface, with the command's bits, and refuses what is wrong. The page of its
# examples is README.md of packaging/python.
if(NOT TARGET heed_python OR NOT TARGET heed_command)
  return()
endif()
foreach(name declarations results refusal guard examples)
  add_test(NAME python_${name} COMMAND ${heed_python_command} -B ${CMAKE_CURRENT_SOURCE_DIR}/python/${name}_test.py)
  set_tests_properties(python_${name} PROPERTIES LABELS "unit;once")
  set_property(TEST python_${name} PROPERTY ENVIRONMENT
    PYTHONPATH=${heed_python_dir}:${CMAKE_CURRENT_SOURCE_DIR}/python HEED_SOURCE_DIR=${PROJECT_SOURCE_DIR}
    HEED_COMMAND_PATH=$<TARGET_FILE:heed_command> HEED_LIBRARY_PATH=$<TARGET_FILE:heed_c>
    HEED_C_COMPILER=${CMAKE_C_COMPILER} PYTHONDONTWRITEBYTECODE=1)
endforeach()
