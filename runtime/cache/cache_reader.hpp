// SPDX-License-Identifier: MIT
#pragma once

#include "attention/key_source.hpp"

namespace heed::detail {

/// That of every cache.
extern const CacheReader cache_reader;

}  // namespace heed::detail
