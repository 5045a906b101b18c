// SPDX-License-Identifier: MIT
#pragma once

#include "tensors/model_families.hpp"

namespace heed::tools {

/// Gives a family the names that llama.cpp has for its tensors. Its converters have made the matrices [out, in], the
/// rows of fused ones all queries, all keys, all values, and the weights of norms what rows are multiplied by. With
/// `pairs` they have put rows of queries and keys that are rotated together beside each other.
void give_gguf_names(ModelFamily& family, bool pairs);

}  // namespace heed::tools
