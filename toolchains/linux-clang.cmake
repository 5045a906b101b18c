# SPDX-License-Identifier: MIT
#
# Cross-compiling with clang for Linux on another processor, `triple`, which the including file names.
set(CMAKE_C_COMPILER clang)
set(CMAKE_CXX_COMPILER clang++)
set(CMAKE_C_COMPILER_TARGET ${triple})
set(CMAKE_CXX_COMPILER_TARGET ${triple})
include(${CMAKE_CURRENT_LIST_DIR}/linux-cross.cmake)
