// SPDX-License-Identifier: MIT
//
// What the checks of whole models share: a model's plan for the rows of a prompt at once and one by one, which must
// give the same logits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "checks.hpp"
#include "data.hpp"
#include "heed/heed.hpp"

namespace heed::test {

struct ModelPlans {
  ModelPlan together;
  ModelPlan apart;
};

/// A decoder reads a prompt and two tokens one by one, or all one by one: the logits after the last.
[[nodiscard]] inline bool read_tokens(Model& model, std::span<const std::uint32_t> tokens, bool one_by_one,
                                      float* logits) {
  const std::size_t first = one_by_one ? 0 : tokens.size() - 2;
  if (first != 0 && model.prefill(tokens.first(first), logits) != Status::ok) return false;
  for (const std::uint32_t token : tokens.subspan(first)) {
    if (model.decode(token, logits) != Status::ok) return false;
  }
  return true;
}

/// run(plan, one_by_one, pool, logits) of each pair of plans: the same logits [outputs], of which the hash is made.
template <class Run>
[[nodiscard]] Outcome check_model_plans(std::span<const ModelPlans> plans, std::uint32_t outputs, const Run& run) {
  Outcome outcome;
  Hash all;
  for (const ModelPlans& of : plans) {
    Pool<float> pool(numbers);
    const std::span<float> logits = pool.take(outputs);
    const std::span<float> others = pool.take(outputs);
    bool good = run(of.together, false, pool, logits) && run(of.apart, true, pool, others);
    for (std::uint32_t i = 0; i < outputs; ++i) good = good && logits[i] == others[i];
    if (!good) ++outcome.failures;
    ++outcome.cases;
    all.add(logits);
  }
  outcome.hash = all.value();
  return outcome;
}

}  // namespace heed::test
