# SPDX-License-Identifier: MIT
#
# heed_choose_port(<result>): the port for the machine at hand, or for the Linux that a toolchain file names. A board is
# not guessed at.
function(heed_choose_port result)
  if(CMAKE_SYSTEM_NAME STREQUAL Generic)
    message(FATAL_ERROR "heed: a bare-metal target has no default port. Set HEED_PORT in the toolchain file, or pass "
      "-DHEED_PORT=arm_m (Cortex-M4F, M7, M33), arm_mve (M55, M85), arm_m3 (M3), arm_m0 (M0+), arm_neon64 (AArch64), "
      "arm_neon32 (ARMv7-A), riscv_f (RISC-V with F), riscv_i (without) or scalar (any other "
      "processor with a fused multiply-add, and every big-endian one); ports/README.md has the list.")
  endif()

  set(port scalar)
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
