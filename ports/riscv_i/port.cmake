# SPDX-License-Identifier: MIT
# Floats are integer instructions, in the order of riscv_f's kernels, which are plain C++.
set(heed_port_inherits long_products soft_floats riscv_f single_floats)
