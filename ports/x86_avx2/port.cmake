# SPDX-License-Identifier: MIT
include(${PROJECT_SOURCE_DIR}/ports/xsimd.cmake)
target_compile_options(heed PRIVATE -mavx2 -mfma -mf16c)
