// SPDX-License-Identifier: MIT
#include "tensors/rounding_error.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "support/aligned_bytes.hpp"
#include "support/data_types.hpp"
#include "support/failure.hpp"

namespace heed::tools {

void RoundingErrors::add(const std::string& kind, const LinearPlan& plan, std::span<const float> values) {
  constexpr std::size_t rows_at_once = 16;
  Sums& sums = sums_.emplace(kind, Sums{plan.type}).first->second;
  const std::size_t columns = plan.inputs;
  // Every row is rounded by itself, so that a few of them tell of all.
  std::vector<float> rounded(rows_at_once * columns);
  for (std::size_t at = 0; at < values.size(); at += rows_at_once * columns) {
    const std::span<const float> some = values.subspan(at, std::min(rows_at_once * columns, values.size() - at));
    LinearPlan few;
    require_ok(make_plan(LinearConfig{.inputs = plan.inputs,
                                      .outputs = static_cast<std::uint32_t>(some.size() / columns),
                                      .type = plan.type,
                                      .bias = false,
                                      .row_type = plan.row_type},
                         few),
               kind);
    AlignedBytes packed(few.bytes);
    const Status status = pack_linear(few, some.data(), nullptr, packed.span());
    if (status == Status::bad_scale) {
      // A few rows may be too small for a type that holds others of the matrix: they become zeros.
      std::fill(rounded.begin(), rounded.end(), 0.0F);
    } else {
      require_ok(status, kind);
      const PackedWeights stored{packed.span(), weight_format(plan.type, plan.row_type).format};
      require_ok(unpack_linear(few, stored, rounded.data()), kind);
    }
    for (std::size_t i = 0; i < some.size(); ++i) {
      const double difference = double{rounded[i]} - double{some[i]};
      sums.difference += difference * difference;
      sums.square += double{some[i]} * double{some[i]};
    }
  }
}

std::string RoundingErrors::describe() const {
  std::string text;
  for (const auto& [kind, sums] : sums_) {
    char error[32];
    std::snprintf(error, sizeof error, "%.2g", sums.square > 0.0 ? std::sqrt(sums.difference / sums.square) : 0.0);
    text += (text.empty() ? "rounded anew: " : "; ") + kind + " to " + to_word(sums.type) + ", error " + error;
  }
  return text;
}

}  // namespace heed::tools
