// SPDX-License-Identifier: MIT
//
// What nearly every test includes. A test names its own includes all the same: with a compiler
// launcher such as ccache there are no precompiled headers.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/heed.hpp"
