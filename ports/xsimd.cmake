# SPDX-License-Identifier: MIT
#
# xsimd's headers for the target `heed`.
include(${PROJECT_SOURCE_DIR}/ports/find_xsimd.cmake)
heed_find_xsimd(${PROJECT_BINARY_DIR}/xsimd-include)
if(NOT EXISTS "${HEED_XSIMD_INCLUDE_DIR}/xsimd/xsimd.hpp")
  message(FATAL_ERROR "heed: there is no xsimd/xsimd.hpp, which this port needs (Debian: libxsimd-dev). Pass "
    "-DHEED_XSIMD_INCLUDE_DIR=<folder that holds xsimd/>, or -DHEED_PORT=scalar, which needs none")
endif()
set(heed_port_needs_xsimd TRUE)
target_include_directories(heed SYSTEM PRIVATE ${PROJECT_BINARY_DIR}/xsimd-include)
# gcc on Arm notes that vectors in structures were passed differently before gcc 10; nothing here crosses that border.
target_compile_options(heed PRIVATE -Wno-psabi)
