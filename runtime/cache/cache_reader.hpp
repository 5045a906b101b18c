// SPDX-License-Identifier: MIT
#pragma once

#include "attention/key_source.hpp"

namespace heed::detail {

/// That of every cache.
extern const KeyReader cache_reader;

}  // namespace heed::detail
