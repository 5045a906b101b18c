# SPDX-License-Identifier: MIT
# Cortex-M3, bare metal, without an FPU, with g++.
set(cpu "-mcpu=cortex-m3 -mfloat-abi=soft")
set(machine mps2-an385)
set(HEED_PORT arm_m3 CACHE STRING "Port")
set(HEED_BOARD mps2_an385 CACHE STRING "Board")
include(${CMAKE_CURRENT_LIST_DIR}/cortex-m-gcc.cmake)
