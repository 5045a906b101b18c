// SPDX-License-Identifier: MIT
//
// The C interface of model files and stages, by the rules of c_api_calls.hpp.
#include <bit>
#include <cstddef>

#include "c/c_api_calls.hpp"
#include "c/c_api_model_config.hpp"
#include "heed/block.hpp"
#include "heed/heed_model.h"
#include "heed/heed_model_config.h"
#include "heed/model.hpp"

namespace heed::detail {

static_assert(HEED_STAGE_EMBEDDING == value_of(Stage::embedding));
static_assert(HEED_STAGE_ATTENTION == value_of(Stage::attention));
static_assert(HEED_STAGE_CROSS_ATTENTION == value_of(Stage::cross_attention));
static_assert(HEED_STAGE_MLP == value_of(Stage::mlp));
static_assert(HEED_STAGE_BLOCK == value_of(Stage::block));
static_assert(HEED_STAGE_OUTPUT == value_of(Stage::output));

}  // namespace heed::detail

heed_model_config heed_default_model_config(void) {
  return std::bit_cast<heed_model_config>(heed::ModelConfig{});
}

heed_status heed_read_model(const void* file, size_t file_bytes, heed_model_config* config, const char** field) {
  if (config == nullptr) return HEED_NULL_POINTER;
  const heed::ModelFile read = heed::read_model(heed::detail::memory_of(file, file_bytes));
  if (read.status == heed::Status::ok) *config = std::bit_cast<heed_model_config>(read.config);
  if (field != nullptr) *field = read.field;
  return heed::detail::answer(read.status);
}

const char* heed_stage_to_string(heed_stage stage) {
  return heed::to_string(static_cast<heed::Stage>(stage));
}
