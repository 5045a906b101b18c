// SPDX-License-Identifier: MIT
#pragma once

#include <thumb_row_magnitude.hpp>
