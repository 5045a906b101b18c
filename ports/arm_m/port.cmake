# SPDX-License-Identifier: MIT
# Its kernels come after this port's own, and before those of the runtime.
set(heed_port_inherits single_floats)
