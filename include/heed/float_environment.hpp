// SPDX-License-Identifier: MIT
#pragma once

#include "heed/detail/language.hpp"

namespace heed {

/// Whether the calling thread computes floats as the promise of the same bits expects: rounded to nearest, ties to
/// even, with subnormal numbers neither read nor written as 0. That is how threads and boards start; fesetround(), a
/// set-up of FTZ, DAZ or FPSCR, and a program that gcc has linked with -ffast-math change it. Workers of an executor
/// are threads of their own: each can call it. It reports the unit for single floats; vectors of 32-bit NEON and Helium
/// have 0 for subnormal numbers whatever it is set to.
[[nodiscard]] bool float_environment_is_standard() noexcept;

}  // namespace heed
