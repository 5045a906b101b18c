// SPDX-License-Identifier: MIT
#pragma once

#include <single_floats/kernels/transpose.hpp>
