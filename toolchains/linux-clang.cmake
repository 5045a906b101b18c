# SPDX-License-Identifier: MIT
#
# clang for Linux on the processor and `triple` that the including file names, cross-compiling unless this machine is one.
set(CMAKE_C_COMPILER clang)
set(CMAKE_CXX_COMPILER clang++)
if(NOT CMAKE_HOST_SYSTEM_PROCESSOR STREQUAL CMAKE_SYSTEM_PROCESSOR)
  set(CMAKE_C_COMPILER_TARGET ${triple})
  set(CMAKE_CXX_COMPILER_TARGET ${triple})
  include(${CMAKE_CURRENT_LIST_DIR}/linux-cross.cmake)
endif()
