// SPDX-License-Identifier: MIT
#pragma once

#include "heed/heed_model.h"
#include "transformer/extended_blocks.hpp"
#include "transformer/extended_ends.hpp"

/// What a model goes through that has an extension; nothing else refers to it.
struct heed::ModelExtension {
  const detail::ExtendedBlocks& blocks;
  const detail::ExtendedEnds& ends;
};
