# SPDX-License-Identifier: MIT
#
# heed_choose_port(<result>): the port for the machine at hand, or for the target of the compiler: its own macros say
# what that is, whatever the system is called (Generic, PICO, Linux).
function(heed_choose_port result)
  heed_fitting_port(port)
  heed_target_has(soft "" "defined(HEED_SOFT_FLOATS)")
  if(port STREQUAL none AND soft)
    message(FATAL_ERROR "heed: no port fits the target of ${CMAKE_CXX_COMPILER} with '${CMAKE_CXX_FLAGS}'. Without floats "
      "in hardware heed runs on Cortex-M and on 32-bit RISC-V that multiplies: name the CPU in the compiler's flags, or "
      "pass -DHEED_PORT=, of which ports/README.md has the list.")
  elseif(port STREQUAL none)
    # A compiler may have no macro that tells of a fused multiply-add: target_check.cmake looks for the instruction.
    set(port scalar)
  endif()

  set(needs "")
  heed_target_has(big "" "defined(HEED_BIG_ENDIAN)")
  heed_target_has(x86 "-mavx2 -mfma -mf16c" "__x86_64__ && __AVX2__ && __FMA__ && __F16C__")
  heed_target_has(neon64 "" "__aarch64__ && __ARM_NEON")
  heed_target_has(dotprod "" "__aarch64__ && __ARM_FEATURE_DOTPROD")
  heed_target_has(i8mm "" "__aarch64__ && __ARM_FEATURE_DOTPROD && __ARM_FEATURE_MATMUL_INT8")
  heed_target_has(neon32 "" "__arm__ && __ARM_NEON && __ARM_FEATURE_FMA")
  if(big)
    set(needs ", which is big-endian")
  elseif(x86)
    heed_machine_has(avx2 avx2)
    heed_machine_has(fma fma)
    if(NOT fma)
      message(FATAL_ERROR "heed: this CPU has no fused multiply-add (FMA), which heed needs. To build for another one, "
        "pass -DHEED_PORT=x86_avx2 or -DHEED_PORT=scalar")
    endif()
    set(needs ": the library needs a CPU with FMA")
    if(avx2)
      set(port x86_avx2)
      set(needs ": the library needs a CPU with AVX2, FMA and F16C; -DHEED_PORT=scalar needs FMA alone")
    endif()
  elseif(i8mm)
    set(port arm_neon64_i8mm)
  elseif(dotprod)
    set(port arm_neon64_dotprod)
  elseif(neon64)
    set(port arm_neon64)
  elseif(neon32)
    set(port arm_neon32)
  endif()
  message(STATUS "heed: port ${port}, chosen for this target${needs}")
  set(${result} ${port} PARENT_SCOPE)
endfunction()
