# SPDX-License-Identifier: MIT
set(heed_port_inherits arm_neon64 neon_integers)
include(${PROJECT_SOURCE_DIR}/ports/xsimd.cmake)
