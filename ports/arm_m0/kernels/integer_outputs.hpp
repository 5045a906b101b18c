// SPDX-License-Identifier: MIT
#pragma once

#ifdef __OPTIMIZE_SIZE__
#include "../detail/small_outputs.hpp"
#else
#include "../detail/fast_outputs.hpp"
#endif
