// SPDX-License-Identifier: MIT
#pragma once
extern "C" const unsigned char sums_tokenizer[3628];
