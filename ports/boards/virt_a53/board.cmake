# SPDX-License-Identifier: MIT
enable_language(ASM)
heed_bare_metal_board(${CMAKE_CURRENT_LIST_DIR} aarch64)
target_link_options(heed_board INTERFACE -static LINKER:--build-id=none LINKER:--no-warn-rwx-segments)
