# SPDX-License-Identifier: MIT
include(${PROJECT_SOURCE_DIR}/ports/x86_avx512/port.cmake)
set(heed_port_inherits x86_avx512 x86_floats x86_integers)
target_compile_options(heed PRIVATE -mavx512vnni)
