// SPDX-License-Identifier: MIT
//
// Activations, defined to the bit: max(x, lowest) * s, every operation rounded once, where s is
//   silu       sigmoid_lanes(x),
//   gelu_tanh  sigmoid_lanes(1.59576912 * fma(0.044715 * (x * x), x, x)): (1 + tanh(y)) / 2 is the sigmoid of 2 y, and
//              so there is no sum with 1 in which digits would cancel,
//   gelu_erf   c for x < 0, fma(-1, c, 1) otherwise, with c = 0.5 * erfc_of_magnitude(0.707106781 * |x|).
// relu is +0 where x < 0, and x otherwise. `lowest` is the lowest finite number: it makes -inf give -0 and not NaN. In
// integers, s is that of kernels/integer_sigmoid.hpp, one for both kinds of GELU.
#pragma once

#include <cstdint>

#include "format/format.hpp"
#include "heed/nn.hpp"

namespace heed::detail {

/// to = activation(from) * factors, or activation(from) where those are null; each [count], the same or apart.
MapActivation map_activation;

/// The same in integers, for rows that are rounded to integers next.
MapActivation map_integer_activation;

}  // namespace heed::detail
