# SPDX-License-Identifier: MIT
enable_language(ASM)
heed_bare_metal_board(${CMAKE_CURRENT_LIST_DIR} riscv32)
target_link_options(heed_board INTERFACE LINKER:--no-warn-rwx-segments)
