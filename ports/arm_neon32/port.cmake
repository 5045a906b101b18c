# SPDX-License-Identifier: MIT
set(heed_port_inherits neon_integers)
include(${PROJECT_SOURCE_DIR}/ports/xsimd.cmake)
# gcc would copy the words of a struct four at a time, and collect them on the stack for that: a plan of a layer took
# 1584 bytes of it instead of 976.
target_compile_options(heed PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-tree-slp-vectorize>)
