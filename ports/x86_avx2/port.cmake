# SPDX-License-Identifier: MIT
set(heed_port_inherits x86_floats x86_integers)
include(${PROJECT_SOURCE_DIR}/ports/xsimd.cmake)
target_compile_options(heed PRIVATE -mavx2 -mfma -mf16c)
