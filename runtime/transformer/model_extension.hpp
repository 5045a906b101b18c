// SPDX-License-Identifier: MIT
#pragma once

#include "heed/heed_model.h"
#include "transformer/extended_blocks.hpp"
#include "transformer/extended_ends.hpp"

/// What runs the blocks and the ends of a model that has an extension.
struct heed::ModelExtension {
  const detail::ExtendedBlocks& blocks;
  const detail::ExtendedEnds& ends;
};
