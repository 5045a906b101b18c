// SPDX-License-Identifier: MIT
#pragma once

#include "heed/detail/language.hpp"
#include "heed/heed_types.h"  // IWYU pragma: export
