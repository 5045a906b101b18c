# SPDX-License-Identifier: MIT
heed_bare_metal_board(${CMAKE_CURRENT_LIST_DIR} cortex_m)
target_compile_definitions(heed_board PRIVATE BOARD_COUNTS_PER_256_TICKS=125)  # 32 MHz
