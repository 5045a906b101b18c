// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "heed/model.hpp"
#include "options/kv_cache_options.hpp"
#include "support/aligned_bytes.hpp"
#include "support/failure.hpp"
#include "tensors/memory_plan.hpp"

namespace heed::tools {

/// A model file in memory, which has been found to be one.
class LoadedModel {
 public:
  /// A Failure names the file and the field that is wrong.
  explicit LoadedModel(const std::filesystem::path& file);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const ModelConfig& config() const { return config_; }
  [[nodiscard]] std::span<const std::byte> bytes() { return bytes_.span(); }

 private:
  std::string name_;
  AlignedBytes bytes_;
  ModelConfig config_;
};

/// A model with the memory that it runs in.
template <class Cache>
class BoundModel {
 public:
  BoundModel(LoadedModel& file, const BlockMemory& memory)
      : plan_(memory_plan<Cache>(file.config(), memory, file.name())),
        state_(plan_.state_bytes),
        scratch_(plan_.scratch_bytes) {
    require_ok(model_.init(plan_, state_.span(), scratch_.span(), {file.bytes(), formats}), file.name());
  }

  BoundModel(const BoundModel&) = delete;
  BoundModel& operator=(const BoundModel&) = delete;
  ~BoundModel() = default;

  [[nodiscard]] TransformerModel<Cache>& model() { return model_; }

 private:
  static constexpr const WeightFormat* formats[] = {&float16_weights, &bfloat16_weights, &int8_weights,
                                                    &int8_group_weights, &int4_group_weights};

  ModelPlan<Cache> plan_;
  AlignedBytes state_;
  AlignedBytes scratch_;
  TransformerModel<Cache> model_;
};

/// Calls use(model) with the model over plain floats, or over a KvCache where the types ask for it.
template <class Use>
void with_model(LoadedModel& file, const BlockMemory& memory, const Use& use) {
  const bool floats = memory.key_type == DataType::float32 && memory.value_type == DataType::float32;
  if (floats) {
    BoundModel<FloatKvCache> bound(file, memory);
    use(bound.model());
  } else {
    BoundModel<KvCache> bound(file, memory);
    use(bound.model());
  }
}

}  // namespace heed::tools
