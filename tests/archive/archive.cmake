# SPDX-License-Identifier: MIT
#
# What holds for the archive of every target, bare metal included.

# heed_add_script_test(<name> LABELS <label>... COMMAND <script> <argument>...): a script in tests/; 77 means skipped. A
# cross build tells it how to run what it builds.
function(heed_add_script_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "" "LABELS;COMMAND")
  list(POP_FRONT test_COMMAND script)
  add_test(NAME ${name} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/${script} ${test_COMMAND})
  set_tests_properties(${name} PROPERTIES LABELS "${test_LABELS}" SKIP_RETURN_CODE 77)
  if(CMAKE_CROSSCOMPILING)
    list(JOIN CMAKE_CROSSCOMPILING_EMULATOR " " emulator)
    set_tests_properties(${name} PROPERTIES
      ENVIRONMENT "HEED_EMULATOR=${emulator};HEED_TOOLCHAIN_FILE=${CMAKE_TOOLCHAIN_FILE}")
  endif()
endfunction()

# What ports without a floating-point unit take from the compiler's run-time support: operations of floats that IEEE-754
# defines to the bit, their conversions from and to integers, and of integers what an M0 has no instruction for. In code
# for size the compiler takes shifts of 64 bits from there, too, and on an M0 jumps by a table.
set(support)
set(support_of_size)
if(HEED_PORT MATCHES "^arm_m[03]$")
  set(support fadd fsub fmul fdiv fcmpeq fcmpge fcmpgt fcmple fcmplt fcmpun f2iz i2f ui2f)
  if(HEED_PORT STREQUAL arm_m0)
    list(APPEND support lmul idiv idivmod uidiv uidivmod)
    set(support_of_size __aeabi_llsl __aeabi_llsr __gnu_thumb1_case_uqi)
  endif()
  list(TRANSFORM support PREPEND __aeabi_)
elseif(HEED_PORT STREQUAL riscv_i)
  set(support addsf3 subsf3 mulsf3 divsf3 eqsf2 nesf2 gesf2 gtsf2 lesf2 ltsf2 unordsf2 fixsfsi floatsisf floatunsisf)
  list(TRANSFORM support PREPEND __)
  set(support_of_size __ashldi3 __lshrdi3)
endif()
if(CMAKE_BUILD_TYPE STREQUAL MinSizeRel)
  list(APPEND support ${support_of_size})
endif()

# An instrumented or unoptimised archive has other symbols.
set(HEED_ARCHIVE_IS_PLAIN FALSE)
if(CMAKE_BUILD_TYPE MATCHES "^(Release|MinSizeRel|RelWithDebInfo)$" AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize|coverage")
  set(HEED_ARCHIVE_IS_PLAIN TRUE)
  string(REGEX REPLACE "nm([^/]*)$" "size\\1" size "${CMAKE_NM}")
  heed_add_script_test(archive LABELS structure
    COMMAND archive/check_archive.sh $<TARGET_FILE:heed> ${CMAKE_NM} ${size} ${CMAKE_OBJDUMP} ${support})
  separate_arguments(unused_flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_EXE_LINKER_FLAGS}")
  if(CMAKE_CXX_COMPILER_TARGET)
    list(APPEND unused_flags --target=${CMAKE_CXX_COMPILER_TARGET})
  endif()
  heed_add_script_test(unused_features LABELS structure
    COMMAND archive/check_unused.sh ${PROJECT_SOURCE_DIR} $<TARGET_FILE:heed> ${CMAKE_NM} ${CMAKE_CXX_COMPILER}
      ${unused_flags})
  heed_add_script_test(static_objects LABELS structure
    COMMAND archive/check_static_objects.sh ${PROJECT_SOURCE_DIR} ${CMAKE_NM} ${CMAKE_CXX_COMPILER} ${unused_flags})
endif()
