# SPDX-License-Identifier: MIT
#
# The arithmetic contract needs a fused multiply-add: in hardware, or where there are no floats in hardware at all, in
# ports/soft_floats. A target with neither is refused here, by name, instead of computing other bits or calling a C
# library's function. The condition is that of ports/single_operations.hpp.
function(heed_require_fused_multiply_add)
  get_target_property(options heed COMPILE_OPTIONS)
  list(FILTER options INCLUDE REGEX "^-m")
  list(JOIN options " " flags)
  heed_target_has(fused "${flags}" "defined(__FMA__) || defined(__ARM_FEATURE_FMA) || defined(__riscv)")
  heed_target_has(soft "${flags}" "defined(__arm__) && !defined(__ARM_FP)")
  if(NOT fused AND NOT soft)
    message(FATAL_ERROR
      "heed: ${CMAKE_CXX_COMPILER} with '${CMAKE_CXX_FLAGS} ${flags}' targets a CPU without a fused multiply-add. heed "
      "needs one beside floats in hardware (x86: -mfma, ARMv7: -mfpu=neon-vfpv4), or Arm or RISC-V without such floats "
      "(-mfloat-abi=soft, -mabi=ilp32).")
  endif()
endfunction()
