// SPDX-License-Identifier: MIT
#pragma once

#include "product/gemm.hpp"

namespace heed::detail {

/// The product is what it was when this returns; meanwhile, it may begin at another column.
void multiply(Gemm& product) noexcept;

}  // namespace heed::detail
