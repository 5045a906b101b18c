# SPDX-License-Identifier: MIT
if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "heed: the riscv_rvv port needs clang 17 or newer, whose -mrvv-vector-bits fixes the vector length")
endif()
