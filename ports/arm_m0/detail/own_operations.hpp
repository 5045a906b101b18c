// SPDX-License-Identifier: MIT
//
// Operations on floats for an integer unit whose products have 32 bits.
#pragma once

#include "add.hpp"
#include "divide.hpp"
#include "fuse.hpp"
#include "multiply.hpp"
