// SPDX-License-Identifier: MIT
#pragma once

#ifdef __OPTIMIZE_SIZE__
#include <soft_floats/kernels/integer_softmax.hpp>
#else
#include <soft_floats/detail/weights_of_keys.hpp>
#endif
