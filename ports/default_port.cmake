# SPDX-License-Identifier: MIT
#
# heed_choose_port(<result>): the port for the machine at hand, or for the Linux that a toolchain file names. A board is
# not guessed at.
function(heed_choose_port result)
  if(CMAKE_SYSTEM_NAME STREQUAL Generic)
    message(FATAL_ERROR "heed: a bare-metal target has no default port. Set HEED_PORT in the toolchain file, or pass "
      "-DHEED_PORT=arm_m (Cortex-M4F, M7, M33), arm_mve (M55, M85), arm_neon64 (AArch64), arm_neon32 (ARMv7-A) or "
      "scalar (any other processor with a fused multiply-add); ports/README.md has the list.")
  endif()

  set(port scalar)
  set(needs "")
  heed_target_has(x86 "-mavx2 -mfma -mf16c" "__x86_64__ && __AVX2__ && __FMA__ && __F16C__")
  set(avx512_flags "-mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx2 -mfma -mf16c")
  heed_target_has(avx512 "${avx512_flags}"
    "__x86_64__ && __AVX512F__ && __AVX512BW__ && __AVX512DQ__ && __AVX512VL__ && __FMA__ && __F16C__")
  heed_target_has(neon64 "" "__aarch64__ && __ARM_NEON")
  heed_target_has(neon32 "" "__arm__ && __ARM_NEON && __ARM_FEATURE_FMA")
  if(x86)
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
    # Another machine's is not guessed at.
    if(avx2 AND avx512 AND NOT CMAKE_CROSSCOMPILING)
      set(wide TRUE)
      foreach(feature avx512f avx512bw avx512dq avx512vl)
        heed_machine_has(has_${feature} ${feature})
        if(NOT has_${feature})
          set(wide FALSE)
        endif()
      endforeach()
      if(wide)
        set(port x86_avx512)
        set(needs ": the library needs a CPU with AVX-512; -DHEED_PORT=x86_avx2 needs AVX2, FMA and F16C")
      endif()
    endif()
  elseif(neon64)
    set(port arm_neon64)
  elseif(neon32)
    set(port arm_neon32)
  endif()
  message(STATUS "heed: port ${port}, chosen for this target${needs}")
  set(${result} ${port} PARENT_SCOPE)
endfunction()
