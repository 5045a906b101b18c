# SPDX-License-Identifier: MIT
#
# firmware_products  counts products of integers on a board of at least 8 MB
# firmware_cmsis_nn  counts them beside CMSIS-NN's; run_firmware_cmsis_nn starts it
if(NOT HEED_CMSIS_NN)
  heed_add_firmware(firmware_products ${CMAKE_CURRENT_LIST_DIR}/board_products.cpp)
  return()
endif()
if(NOT EXISTS ${HEED_CMSIS_NN}/Include/arm_nnfunctions.h)
  message(FATAL_ERROR "heed: HEED_CMSIS_NN: there is no ${HEED_CMSIS_NN}/Include/arm_nnfunctions.h")
endif()
file(GLOB cmsis_nn ${HEED_CMSIS_NN}/Source/NNSupportFunctions/arm_nn_mat_mul_core_*s8.c)
foreach(source IN ITEMS FullyConnectedFunctions/arm_fully_connected_s8.c FullyConnectedFunctions/arm_vector_sum_s8.c
    NNSupportFunctions/arm_nn_vec_mat_mult_t_s8.c NNSupportFunctions/arm_nn_mat_mult_nt_t_s8.c)
  list(APPEND cmsis_nn ${HEED_CMSIS_NN}/Source/${source})
endforeach()
heed_add_firmware(firmware_cmsis_nn ${CMAKE_CURRENT_LIST_DIR}/boards.cpp ${cmsis_nn})
target_include_directories(firmware_cmsis_nn SYSTEM PRIVATE ${HEED_CMSIS_NN}/Include)
# -Ofast as its own build has it. Firmware is compiled as freestanding, which would make calls of its loads.
set_source_files_properties(${cmsis_nn} PROPERTIES COMPILE_OPTIONS "-w;-Ofast;-fbuiltin")
add_custom_target(run_firmware_cmsis_nn COMMAND firmware_cmsis_nn VERBATIM)
