# SPDX-License-Identifier: MIT
include(${PROJECT_SOURCE_DIR}/ports/x86_avx2/port.cmake)
set(heed_port_inherits x86_avx2 x86_floats x86_integers)
target_compile_options(heed PRIVATE -mavxvnni)
