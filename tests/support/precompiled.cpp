// SPDX-License-Identifier: MIT
//
// The headers alone: see precompiled.hpp.
