// SPDX-License-Identifier: MIT
//
// What a layer's calls can do besides.
#pragma once

#include "heed/heed_multi_head_options.h"  // IWYU pragma: export
#include "heed/multi_head.hpp"
#include "heed/options.hpp"
#include "heed/rotary.hpp"
