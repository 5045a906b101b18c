# SPDX-License-Identifier: MIT
if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR
    "heed: ${CMAKE_CXX_COMPILER} does not know clang's vector types, which the riscv_rvv port is written with. It needs "
    "clang 17 or newer, with -march=rv64gcv_zvl128b (or 256b) and -mrvv-vector-bits=zvl.")
endif()
