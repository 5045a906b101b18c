# SPDX-License-Identifier: MIT
# Cortex-M4 with an FPU, bare metal, with g++.
set(cpu "-mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard")
set(machine mps2-an386)
set(HEED_BOARD mps2_an386 CACHE STRING "Board")
include(${CMAKE_CURRENT_LIST_DIR}/cortex-m-gcc.cmake)
