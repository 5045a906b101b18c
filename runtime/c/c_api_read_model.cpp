// SPDX-License-Identifier: MIT
//
// The C interface of model files and stages.
#include <cstddef>

#include "c/c_api_calls.hpp"
#include "heed/block.hpp"
#include "heed/heed_model.h"
#include "heed/heed_model_config.h"
#include "heed/model.hpp"

heed_status heed_read_model(const void* file, size_t file_bytes, heed_model_config* config, const char** field) {
  if (config == nullptr) return heed::Status::null_pointer;
  const heed::ModelFile read = heed::read_model(heed::detail::memory_of(file, file_bytes));
  if (read.status == heed::Status::ok) *config = read.config;
  if (field != nullptr) *field = read.field;
  return read.status;
}

const char* heed_stage_to_string(heed_stage stage) {
  return heed::to_string(stage);
}
