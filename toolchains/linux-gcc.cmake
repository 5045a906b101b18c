# SPDX-License-Identifier: MIT
#
# gcc for Linux on the processor and `triple` that the including file names, cross-compiling unless this machine is one.
set(CMAKE_C_COMPILER gcc)
set(CMAKE_CXX_COMPILER g++)
if(NOT CMAKE_HOST_SYSTEM_PROCESSOR STREQUAL CMAKE_SYSTEM_PROCESSOR)
  set(CMAKE_C_COMPILER ${triple}-gcc)
  set(CMAKE_CXX_COMPILER ${triple}-g++)
  include(${CMAKE_CURRENT_LIST_DIR}/linux-cross.cmake)
endif()
