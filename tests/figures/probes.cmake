# SPDX-License-Identifier: MIT
#
# What figures.py looks at: the library with its call graph, which gcc alone writes, an image for each probe, and the runs
# whose instructions are counted, with target.json, which says where they are, in HEED_FIGURES_FOLDER.
target_compile_options(heed PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fcallgraph-info=su>)

# A probe calls one feature and nothing else. The three C functions that the library needs are the user's, and not
# counted: the linker takes them to be the probe itself.
add_custom_target(probes)
file(GLOB probes CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/probe_*.cpp)
foreach(source ${probes})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_compile_features(${name} PRIVATE cxx_std_20)
  # The compiler's own functions count, where a CPU has no instruction for a shift of 64 bits.
  target_link_libraries(${name} PRIVATE heed::heed gcc)
  target_compile_options(${name} PRIVATE -fno-exceptions -fno-asynchronous-unwind-tables -fno-pie)
  target_link_options(${name} PRIVATE
    -nostdlib -static LINKER:-Map=${HEED_FIGURES_FOLDER}/${name}.map LINKER:--gc-sections
    LINKER:--build-id=none LINKER:--entry=probe
    LINKER:--defsym=memcpy=probe LINKER:--defsym=memmove=probe LINKER:--defsym=memset=probe)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${HEED_FIGURES_FOLDER})
  add_dependencies(probes ${name})
endforeach()

heed_add_firmware(runs ${CMAKE_CURRENT_LIST_DIR}/runs.cpp)
set_target_properties(runs PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${HEED_FIGURES_FOLDER})
if(CMAKE_SYSTEM_NAME STREQUAL Generic)
  heed_add_firmware(model_costs ${CMAKE_CURRENT_LIST_DIR}/model_costs.cpp)
  set(floats 1)
  if(HEED_PORT MATCHES "^(arm_m0|arm_m3|riscv_i)$")
    set(floats 0)
  endif()
  target_compile_definitions(model_costs PRIVATE HEED_FIGURES_FLOATS=${floats})
  set_target_properties(model_costs PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${HEED_FIGURES_FOLDER})
endif()
# Floats of one vector FMA: what a register holds.
set(vector_lanes 1)
if(HEED_PORT MATCHES "^(arm_neon|riscv_rvv)")
  heed_target_has(registers_of_256 "" "__riscv_v_fixed_vlen == 256")
  if(registers_of_256)
    set(vector_lanes 8)
  else()
    set(vector_lanes 4)
  endif()
  target_compile_definitions(runs PRIVATE HEED_FIGURES_LARGE)
endif()

get_target_property(heed_binary_folder heed BINARY_DIR)
list(JOIN CMAKE_CROSSCOMPILING_EMULATOR "\", \"" emulator)
string(REGEX REPLACE "nm([^/]*)$" "size\\1" size "${CMAKE_NM}")
file(WRITE ${HEED_FIGURES_FOLDER}/target.json "{
  \"compiler\": \"${CMAKE_CXX_COMPILER}\",
  \"nm\": \"${CMAKE_NM}\",
  \"size\": \"${size}\",
  \"emulator\": [\"${emulator}\"],
  \"port\": \"${HEED_PORT}\",
  \"vector_lanes\": ${vector_lanes},
  \"objects\": \"${heed_binary_folder}/CMakeFiles/heed.dir\"
}
")
