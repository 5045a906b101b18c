// SPDX-License-Identifier: MIT
//
// r8-r11 of the caller: push and pop reach r0-r7 alone.
#pragma once

// clang-format off
/// By way of r4-r7, which have been saved.
#define HEED_SAVE_HIGH "mov r4, r8\n" "mov r5, r9\n" "mov r6, r10\n" "mov r7, r11\n" "push {r4-r7}\n"
#define HEED_RESTORE_HIGH "pop {r4-r7}\n" "mov r8, r4\n" "mov r9, r5\n" "mov r10, r6\n" "mov r11, r7\n"
// clang-format on
