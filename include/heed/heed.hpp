// SPDX-License-Identifier: MIT
//
// heed: attention in fixed memory, with the same bits on every CPU. This header includes all of the C++ interface.
#pragma once

#include "heed/arena.hpp"
#include "heed/attention.hpp"
#include "heed/block.hpp"
#include "heed/cache.hpp"
#include "heed/format.hpp"
#include "heed/layer.hpp"
#include "heed/linear.hpp"
#include "heed/model.hpp"
#include "heed/nn.hpp"
#include "heed/options.hpp"
#include "heed/positions.hpp"
#include "heed/text.hpp"
#include "heed/types.hpp"
