// SPDX-License-Identifier: MIT
//
// The language that the C++ headers need; each of them includes this one.
#pragma once

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "heed: the .hpp headers are C++20: compile with -std=c++20, or include heed/heed.h, which serves C99 and C++98"
#endif
