# SPDX-License-Identifier: MIT
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  target_compile_options(heed PRIVATE -mfma)
endif()
