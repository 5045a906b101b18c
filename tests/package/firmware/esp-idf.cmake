# SPDX-License-Identifier: MIT
#
# CHIP is the target. All components are read first by a script that knows no configuration and wants no more than their
# names, then as a part of the project.
if(CMAKE_SCRIPT_MODE_FILE)
  macro(idf_component_register)
    return()
  endmacro()
  include(${PACKAGE}/CMakeLists.txt)
  return()
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -DPACKAGE=${PACKAGE} -P ${CMAKE_CURRENT_LIST_FILE} COMMAND_ERROR_IS_FATAL ANY)

set(IDF_TARGET ${CHIP})
if(CHIP MATCHES "^esp32(c3|c6|p4)$")
  set(CONFIG_IDF_TARGET_ARCH_RISCV y)
endif()
if(CHIP MATCHES "^esp32(p4|s3)$")
  set(CONFIG_SOC_CPU_HAS_FPU y)
endif()
if(EXISTS ${PACKAGE}/idf_component.yml)
  file(STRINGS ${PACKAGE}/idf_component.yml targets REGEX "^  - esp32")
  if(NOT "  - ${CHIP}" IN_LIST targets)
    message(FATAL_ERROR "idf_component.yml does not list ${CHIP}")
  endif()
endif()

macro(idf_component_register)
  cmake_parse_arguments(component "" "" "SRCS;INCLUDE_DIRS;PRIV_INCLUDE_DIRS" ${ARGN})
  set(COMPONENT_LIB heed)
  add_library(heed STATIC ${component_SRCS})
  target_include_directories(heed PUBLIC ${component_INCLUDE_DIRS} PRIVATE ${component_PRIV_INCLUDE_DIRS})
endmacro()
add_subdirectory(${PACKAGE} component)
