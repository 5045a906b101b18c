# SPDX-License-Identifier: MIT
include(${CMAKE_CURRENT_LIST_DIR}/../cortex_m/cortex_m.cmake)
heed_cortex_m_board(${CMAKE_CURRENT_LIST_DIR} 160)  # 25 MHz
