// SPDX-License-Identifier: MIT
#pragma once

#include "heed/detail/language.hpp"
#include "heed/heed_version.h"

namespace heed {

/// The HEED_VERSION of the library that is linked, in static storage; the macro itself is that of the headers.
[[nodiscard]] const char* version() noexcept;

}  // namespace heed
