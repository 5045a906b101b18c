// SPDX-License-Identifier: MIT
#pragma once

#include "heed/heed.hpp"

/// attend() with 3 / 8 taken from a score for every key between the query and the key.
heed::Status attend_with_distance(const heed::AttentionPlan& plan, std::span<std::byte> arena,
                                  const heed::AttentionInputs& inputs, const heed::AttentionOutputs& outputs) noexcept;
