# SPDX-License-Identifier: MIT
# Cortex-M7, bare metal, with g++.
set(cpu "-mcpu=cortex-m7 -mfpu=fpv5-d16 -mfloat-abi=hard")
set(machine mps2-an500)
set(HEED_BOARD mps2_an500 CACHE STRING "Board")
include(${CMAKE_CURRENT_LIST_DIR}/cortex-m-gcc.cmake)
