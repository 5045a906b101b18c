# SPDX-License-Identifier: MIT
#
# firmware_cmsis_nn  counts products of integers beside CMSIS-NN's on a board; run_firmware_cmsis_nn starts it
set(functions ${HEED_CMSIS_NN}/Source/FullyConnectedFunctions)
set(support ${HEED_CMSIS_NN}/Source/NNSupportFunctions)
file(GLOB cores ${support}/arm_nn_mat_mul_core_*s8.c)
set(cmsis_nn ${functions}/arm_fully_connected_s8.c ${functions}/arm_vector_sum_s8.c
  ${support}/arm_nn_vec_mat_mult_t_s8.c ${support}/arm_nn_mat_mult_nt_t_s8.c ${cores})
heed_add_firmware(firmware_cmsis_nn ${CMAKE_CURRENT_LIST_DIR}/boards.cpp ${cmsis_nn})
target_include_directories(firmware_cmsis_nn SYSTEM PRIVATE ${HEED_CMSIS_NN}/Include)
# As its own build does: its loads are calls of memcpy() that a compiler takes for what they are.
set_source_files_properties(${cmsis_nn} PROPERTIES COMPILE_OPTIONS "-w;-Ofast;-fbuiltin")
add_custom_target(run_firmware_cmsis_nn COMMAND firmware_cmsis_nn VERBATIM)
