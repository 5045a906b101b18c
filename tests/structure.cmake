# SPDX-License-Identifier: MIT
#
# Tests of what the library is made of: sizes, refusals, bounds, symbols, layers, packages, text. Labels:
#   unit       runs the library                  guard  the same, between pages that may not be touched
#   heap       the same, where a call of the heap ends the program
#   golden     firmware_check and port_check, which every port runs
#   structure  looks at the archive and the tree style  formatting and static analysis
#   figures    what the library costs on a target: see figures/run.sh
#   package    packages, and projects that use them
#   once       the answer does not depend on the port or the compiler, so that one build tree needs to ask
heed_add_test(plan/plan_test LABEL unit)
heed_add_test(plan/plan_limits_test LABEL unit)
heed_add_test(plan/touched_memory_test LABEL unit)

foreach(name refusal_test kv_cache_binding_refusal_test kv_cache_refusal_test kv_cache_attention_refusal_test
        layer_cache_refusal_test layer_refusal_test linear_refusal_test weights_refusal_test each_reason_test)
  heed_add_test(refusal/${name} LABEL unit)
endforeach()

foreach(name guard_test guard_layer_test guard_layer_options_test guard_options_test guard_rotary_test
        guard_model_test guard_transformer_test)
  heed_add_test(guard/${name} LABEL guard)
endforeach()

heed_add_test(guard/guard_kv_cache_test LABEL guard INTERNAL)
heed_add_test(guard/guard_two_memories_test LABEL guard INTERNAL)

heed_add_test(heap/heap_trap_test LABEL heap)
heed_add_test(heap/heap_trap_options_test LABEL heap)
target_sources(heap_tests PRIVATE heap/heap_trap.cpp)
foreach(function malloc calloc realloc free aligned_alloc posix_memalign)
  target_link_options(heap_tests PRIVATE LINKER:--wrap=${function})
endforeach()

# Programs without the framework that have the label bits.
heed_set_label(bits firmware_check)
if(HEED_BUILD_EXAMPLES)
  foreach(name firmware_layer firmware_layer_c firmware_two_workers firmware_sums example_attention_c example_model_cpp
          example_ring_cpp example_text_cpp)
    if(TARGET ${name})
      heed_set_label(bits ${name})
    endif()
  endforeach()
endif()

include(archive/archive.cmake)
include(figures/figures.cmake)

separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_EXE_LINKER_FLAGS}")
if(CMAKE_CXX_COMPILER_TARGET)
  list(APPEND flags --target=${CMAKE_CXX_COMPILER_TARGET})
endif()
set(compilers ${CMAKE_C_COMPILER} ${CMAKE_CXX_COMPILER})
set(build ${CMAKE_COMMAND} ${CMAKE_GENERATOR} ${HEED_PORT} ${compilers})

heed_add_script_test(refused_plan LABELS structure
  COMMAND archive/refused_plan.sh ${PROJECT_SOURCE_DIR}/include ${CMAKE_CXX_COMPILER} ${flags})
heed_add_script_test(native_toolchain LABELS structure once
  COMMAND toolchains/check_host.sh ${PROJECT_SOURCE_DIR})
# In a build that has every test.
if(TARGET heed_command AND TARGET heed_python AND HEED_BUILD_BENCH AND HEED_PORT AND NOT CMAKE_UNITY_BUILD)
  heed_add_script_test(changes LABELS structure once
    COMMAND support/check_changes.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
endif()
heed_add_script_test(runner LABELS structure once COMMAND support/check_runner.sh ${PROJECT_SOURCE_DIR})
# With the compilers of this tree and, where there is one, a clang besides.
find_program(HEED_CLANG_C clang DOC "The second C compiler")
find_program(HEED_CLANG clang++ DOC "The second compiler, whose flags are tested too")
if(HEED_CLANG_C AND HEED_CLANG AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  set(second_compilers ${HEED_CLANG_C} ${HEED_CLANG})
  set(second_cpp_compiler ${HEED_CLANG})
endif()
heed_add_script_test(c_headers LABELS structure once
  COMMAND c/check_headers.sh ${PROJECT_SOURCE_DIR}/include ${compilers} ${second_compilers})
heed_add_script_test(cpp_headers LABELS structure once
  COMMAND archive/check_language.sh ${PROJECT_SOURCE_DIR}/include ${CMAKE_CXX_COMPILER} ${second_cpp_compiler})
heed_add_script_test(include_rules LABELS structure once COMMAND archive/check_includes.sh ${PROJECT_SOURCE_DIR})

if(HEED_ARCHIVE_IS_PLAIN)
  heed_add_script_test(package LABELS structure package
    COMMAND consumer/check_consumer.sh installed ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${build})
endif()
include(package/package.cmake)
if(TARGET heed_command AND NOT CMAKE_CROSSCOMPILING)
  include(architectures/architectures.cmake)
endif()
if(HEED_PORT)
  heed_add_script_test(subdirectory LABELS structure package once
    COMMAND consumer/check_consumer.sh subdirectory ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${build})
  # The plain port is compiled in a third of the time.
  heed_add_script_test(reproducible LABELS structure once
    COMMAND archive/reproducible.sh ${PROJECT_SOURCE_DIR} ${CMAKE_COMMAND} ${CMAKE_GENERATOR} scalar ${compilers})
endif()

if(NOT CMAKE_CROSSCOMPILING)
  heed_add_script_test(new_port LABELS structure once
    COMMAND new_port/check_new_port.sh ${PROJECT_SOURCE_DIR} ${CMAKE_COMMAND} ${CMAKE_GENERATOR} ${compilers})
endif()

if(HEED_PORT AND NOT CMAKE_CROSSCOMPILING)
  heed_add_script_test(targets LABELS structure once COMMAND toolchains/check_targets.sh ${PROJECT_SOURCE_DIR} ${build})
  heed_add_script_test(flags LABELS structure once
    COMMAND flags/check_flags.sh ${PROJECT_SOURCE_DIR} ${CMAKE_COMMAND} ${CMAKE_GENERATOR} ${HEED_PORT} ${compilers})
  if(HEED_THOROUGH_TESTS AND HEED_CLANG AND NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    heed_add_script_test(flags_clang LABELS structure once
      COMMAND flags/check_flags.sh ${PROJECT_SOURCE_DIR} ${CMAKE_COMMAND} ${CMAKE_GENERATOR} ${HEED_PORT} clang clang++)
  endif()
endif()

# valgrind runs the instructions of this machine.
if(NOT CMAKE_CROSSCOMPILING AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize|coverage")
  add_executable(watched_runs runs/main.cpp runs/counted_run.cpp runs/attention_shapes.cpp runs/cache_shapes.cpp
    runs/layer_shapes.cpp)
  heed_set_up_test(watched_runs)
  heed_set_label(unit watched_runs)
  heed_add_script_test(same_instructions LABELS structure once
    COMMAND runs/check_instructions.sh $<TARGET_FILE:watched_runs>)
  heed_add_script_test(unwritten_memory LABELS structure once
    COMMAND runs/check_memory.sh valgrind $<TARGET_FILE:watched_runs>)
  if(HEED_THOROUGH_TESTS AND HEED_CLANG)
    heed_add_script_test(unwritten_memory_clang LABELS structure once
      COMMAND runs/check_memory.sh sanitizer ${PROJECT_SOURCE_DIR} ${HEED_CLANG})
  endif()
endif()

# The longest start first, so that they do not end alone.
foreach(name reproducible flags flags_clang)
  if(TEST ${name})
    set_tests_properties(${name} PROPERTIES COST 60)
  endif()
endforeach()

set_target_properties(heed PROPERTIES EXPORT_COMPILE_COMMANDS ON)
heed_add_script_test(style_format LABELS style once COMMAND archive/check_style.sh format ${PROJECT_SOURCE_DIR})
heed_add_script_test(cppcheck LABELS structure once COMMAND archive/check_cppcheck.sh ${PROJECT_SOURCE_DIR})
if(HEED_PORT)
  heed_add_script_test(style_tidy LABELS style once
    COMMAND archive/check_style.sh tidy ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${HEED_PORT})
  set_tests_properties(style_tidy PROPERTIES COST 60)
  if(HEED_THOROUGH_TESTS)
    heed_add_script_test(style_analyze LABELS style once
      COMMAND archive/check_style.sh analyze ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${HEED_PORT})
  endif()
endif()

if(HEED_PORT AND NOT CMAKE_CROSSCOMPILING)
  # The compiler that has not built the package, if there is one.
  set(other_build ${build})
  if(HEED_CLANG)
    set(other_build ${CMAKE_COMMAND} ${CMAKE_GENERATOR} ${HEED_PORT} clang ${HEED_CLANG})
  endif()
  heed_add_script_test(consumer_machine LABELS structure once
    COMMAND consumer/check_consumer.sh machine ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${other_build})
  heed_add_script_test(consumer_bare LABELS structure once
    COMMAND consumer/check_consumer.sh bare ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${build})
endif()
