# SPDX-License-Identifier: MIT
#
# The Python module: that it has the C interface, with the command's bits, and refuses what is wrong; and its pages.
if(NOT TARGET heed_command)
  return()
endif()
set(python_environment PYTHONPATH=${PROJECT_BINARY_DIR}/python:${CMAKE_CURRENT_SOURCE_DIR}/python
  HEED_SOURCE_DIR=${PROJECT_SOURCE_DIR} HEED_COMMAND_PATH=$<TARGET_FILE:heed_command>
  HEED_C_COMPILER=${CMAKE_C_COMPILER} PYTHONDONTWRITEBYTECODE=1)
set(python_with_module)
if(TARGET heed_python)
  set(python_with_module ${heed_python_command})
  foreach(name declarations results models refusal guard threads)
    add_test(NAME python_${name} COMMAND ${heed_python_command} -B ${CMAKE_CURRENT_SOURCE_DIR}/python/${name}_test.py)
    set_tests_properties(python_${name} PROPERTIES LABELS "unit;once")
    set_property(TEST python_${name} PROPERTY
      ENVIRONMENT ${python_environment} HEED_LIBRARY_PATH=$<TARGET_FILE:heed_c> HEED_MODELS=${HEED_MODELS})
  endforeach()
endif()
heed_add_script_test(python_page LABELS structure once
  COMMAND python/check_page.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${python_with_module})
set_property(TEST python_page PROPERTY ENVIRONMENT ${python_environment})
# For the test that asks for every block of the pages.
if(ran_blocks)
  set_property(TEST python_page APPEND PROPERTY ENVIRONMENT HEED_RAN_BLOCKS=${ran_blocks})
  set_tests_properties(python_page PROPERTIES FIXTURES_SETUP ran_blocks)
endif()
