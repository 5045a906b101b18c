// SPDX-License-Identifier: MIT
#pragma once

#include "heed/detail/language.hpp"

namespace heed {

/// Whether the calling thread computes floats as bit-identical results require: rounded to nearest, ties to even, with
/// subnormal numbers neither read nor written as 0. Threads and boards start that way; fesetround(), setting FTZ, DAZ
/// or FPSCR, and linking with gcc's -ffast-math change it. Workers of an executor are threads of their own: each can
/// call it. It reports on the scalar unit; the vectors of 32-bit NEON and Helium flush subnormal numbers whatever its
/// setting.
[[nodiscard]] bool float_environment_is_standard() noexcept;

}  // namespace heed
