// SPDX-License-Identifier: MIT
//
// heed: attention in fixed memory, with the same bits on every CPU. This header includes all of the C++ interface.
#pragma once

#include "heed/activation.hpp"
#include "heed/arena.hpp"
#include "heed/attention.hpp"
#include "heed/biases.hpp"
#include "heed/executor.hpp"
#include "heed/float_environment.hpp"
#include "heed/float_kv_cache.hpp"
#include "heed/kv_cache.hpp"
#include "heed/kv_multi_head.hpp"
#include "heed/logits.hpp"
#include "heed/merge.hpp"
#include "heed/multi_head.hpp"
#include "heed/multi_head_options.hpp"
#include "heed/multi_head_plan.hpp"
#include "heed/normalization.hpp"
#include "heed/options.hpp"
#include "heed/positions.hpp"
#include "heed/rotary.hpp"
#include "heed/status.hpp"
#include "heed/tensor.hpp"
#include "heed/version.hpp"
