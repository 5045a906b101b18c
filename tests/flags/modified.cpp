// SPDX-License-Identifier: MIT
#include "modified.hpp"

#include <options/attend_with_score_mod.hpp>

namespace {

struct Distance {
  float operator()(float score, std::uint32_t, std::uint32_t, std::uint32_t query, std::uint32_t key) const noexcept {
    return score - 0.375F * (static_cast<float>(query) - static_cast<float>(key));
  }
};

}  // namespace

heed::Status attend_with_distance(const heed::AttentionPlan& plan, std::span<std::byte> arena,
                                  const heed::AttentionInputs& inputs, const heed::AttentionOutputs& outputs) noexcept {
  return heed::attend_with_score_mod(plan, arena, inputs, {}, outputs, Distance{});
}
