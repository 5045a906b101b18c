# SPDX-License-Identifier: MIT
include(${PROJECT_SOURCE_DIR}/ports/xsimd.cmake)
