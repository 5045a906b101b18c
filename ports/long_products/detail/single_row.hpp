// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <detail/sums_of_bytes.hpp>
#include <riscv_f/detail/integer_run.hpp>

#include "heed/arena.hpp"

namespace heed::detail {

/// The numbers of a row of bytes, for the sums of many panels.
class SingleRow {
 public:
  SingleRow(const std::byte* run, std::uint32_t inputs) noexcept : run_(run), words_(inputs / 4) {}

  /// sums [16], of which `count` are wanted.
  void sum_panel(const std::byte* weights, std::uint32_t count, std::int32_t* sums) const noexcept {
    sums_of_bytes(weights, run_, words_, sums);
    if (count > integer_outputs) {
      sums_of_bytes(weights + integer_outputs * 4, run_, words_, sums + integer_outputs);
    }
  }

 private:
  const std::byte* run_;
  std::uint32_t words_;
};

}  // namespace heed::detail
