# SPDX-License-Identifier: MIT
#
# The arithmetic contract needs a fused multiply-add in hardware. A target without one is refused here, by name, instead
# of computing other bits or calling a software routine.
include(CheckCXXSourceCompiles)

function(heed_require_fused_multiply_add)
  get_target_property(options heed COMPILE_OPTIONS)
  list(FILTER options INCLUDE REGEX "^-m")
  list(JOIN options " " CMAKE_REQUIRED_FLAGS)
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
  check_cxx_source_compiles(
    "#if !defined(__FMA__) && !defined(__ARM_FEATURE_FMA) && !defined(__riscv_flen)
     #error no fused multiply-add
     #endif
     float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }"
    HEED_HAS_FUSED_MULTIPLY_ADD)
  if(NOT HEED_HAS_FUSED_MULTIPLY_ADD)
    message(FATAL_ERROR
      "heed: ${CMAKE_CXX_COMPILER} with '${CMAKE_CXX_FLAGS} ${CMAKE_REQUIRED_FLAGS}' targets a CPU without a fused "
      "multiply-add. heed needs one (x86: -mfma, ARMv7: -mfpu=neon-vfpv4, Cortex-M: M4F or newer).")
  endif()
endfunction()
