// SPDX-License-Identifier: MIT
#pragma once
#include <port.hpp>
namespace heed::detail {
inline port::f32x16 hyperbolic_tangent(const port::f32x16& x) noexcept {
  float v[16]; port::store(v,x); for (float& f : v) f = __builtin_tanhf(f); return port::load(v);
}
}
