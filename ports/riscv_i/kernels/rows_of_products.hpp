// SPDX-License-Identifier: MIT
#pragma once

#include <soft_floats/detail/whole_rows_at_once.hpp>
