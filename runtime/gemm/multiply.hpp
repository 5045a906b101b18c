// SPDX-License-Identifier: MIT
#pragma once

#include "common/gemm.hpp"

namespace heed::detail {

void multiply(const Gemm& product) noexcept;

}  // namespace heed::detail
