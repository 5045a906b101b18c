// SPDX-License-Identifier: MIT
#pragma once

#include <soft_floats/detail/weights_of_keys.hpp>
