# SPDX-License-Identifier: MIT
target_sources(heed_board PRIVATE ${CMAKE_CURRENT_LIST_DIR}/board.cpp)
