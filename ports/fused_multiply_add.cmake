# SPDX-License-Identifier: MIT
#
# The arithmetic contract needs a fused multiply-add in hardware. A target without one is refused here, by name, instead
# of computing other bits or calling a software routine.
function(heed_require_fused_multiply_add)
  get_target_property(options heed COMPILE_OPTIONS)
  list(FILTER options INCLUDE REGEX "^-m")
  list(JOIN options " " flags)
  heed_target_has(fused "${flags}" "defined(__FMA__) || defined(__ARM_FEATURE_FMA) || defined(__riscv_flen)")
  if(NOT fused)
    message(FATAL_ERROR
      "heed: ${CMAKE_CXX_COMPILER} with '${CMAKE_CXX_FLAGS} ${flags}' targets a CPU without a fused multiply-add. heed "
      "needs one (x86: -mfma, ARMv7: -mfpu=neon-vfpv4, Cortex-M: M4F or newer).")
  endif()
endfunction()
