# SPDX-License-Identifier: MIT
# Cortex-M33 with an FPU, bare metal, with g++.
set(cpu "-mcpu=cortex-m33 -mfloat-abi=hard")
set(machine mps2-an505)
set(HEED_BOARD mps2_an505 CACHE STRING "Board")
include(${CMAKE_CURRENT_LIST_DIR}/cortex-m-gcc.cmake)
