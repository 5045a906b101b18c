// SPDX-License-Identifier: MIT
//
// All that a kernel needs beyond the port's vector: the types of its arguments and the constants that its results
// follow from. A port's kernels see this header and the shared kernels, and nothing else of the runtime;
// ports/README.md says what each of them has to define.
#pragma once

#include "common/constants.hpp"
#include "common/integer_product.hpp"
#include "common/key_range.hpp"
#include "common/row_pass.hpp"
#include "heed/arena.hpp"
#include "product/gemm.hpp"
