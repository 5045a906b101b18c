// SPDX-License-Identifier: MIT
#pragma once

#include <soft_floats/detail/mapped_rows.hpp>
