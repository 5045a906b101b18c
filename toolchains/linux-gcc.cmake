# SPDX-License-Identifier: MIT
#
# Cross-compiling with gcc for Linux on another processor, `triple`, which the including file names.
set(CMAKE_C_COMPILER ${triple}-gcc)
set(CMAKE_CXX_COMPILER ${triple}-g++)
include(${CMAKE_CURRENT_LIST_DIR}/linux-cross.cmake)
