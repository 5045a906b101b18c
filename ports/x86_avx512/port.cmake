# SPDX-License-Identifier: MIT
set(heed_port_inherits x86_floats x86_integers)
target_compile_options(heed PRIVATE -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx2 -mfma -mf16c)
