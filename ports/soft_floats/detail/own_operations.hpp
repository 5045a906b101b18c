// SPDX-License-Identifier: MIT
//
// Operations on floats that a port has for its own integer unit: none.
#pragma once
