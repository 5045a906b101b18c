// SPDX-License-Identifier: MIT
//
// What the shared library has beside the archive's C interface: why a configuration has no plan. Its numbers are
// doubles, which some boards compute slowly and none needs.
#include "heed/attention.hpp"
#include "heed/cache.hpp"
#include "heed/heed_explain.h"
#include "heed/layer.hpp"
#include "heed/model.hpp"
#include "heed/positions.hpp"

namespace {

template <class Plan, class... Configs>
[[nodiscard]] heed_explanation explained(const Configs*... configs) noexcept {
  heed::Explanation why;
  if ((configs && ...)) {
    why = heed::explain<Plan>(*configs...);
  } else {
    why.status = heed::Status::null_pointer;
  }
  return {why.status, why.member, why.value, why.least, why.most, why.rule};
}

}  // namespace

heed_explanation heed_explain_attention(const heed_attention_config* config) {
  return explained<heed::AttentionPlan>(config);
}

heed_explanation heed_explain_kv_cache(const heed_kv_cache_config* config) {
  return explained<heed::KvCachePlan>(config);
}

heed_explanation heed_explain_multi_head(const heed_multi_head_config* config) {
  return explained<heed::MultiHeadPlan>(config);
}

heed_explanation heed_explain_rotary(const heed_rotary_config* config) {
  return explained<heed::RotaryPlan>(config);
}

heed_explanation heed_explain_model(const heed_model_config* config, const heed_block_memory* memory) {
  return explained<heed::ModelPlan>(config, memory);
}
