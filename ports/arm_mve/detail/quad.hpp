// SPDX-License-Identifier: MIT
//
// Four lanes with the operations that functions over a row need; each is that of f32x16.
#pragma once

#include <kernels/exp2.hpp>
#include <port.hpp>

namespace heed::port {
inline namespace heed_own_code {

struct Quad {
  float32x4_t lanes;

  explicit Quad(float32x4_t values) noexcept : lanes(values) {}
  explicit Quad(float value) noexcept : lanes(vdupq_n_f32(value)) {}
};

[[gnu::always_inline]] inline Quad sub(const Quad& a, const Quad& b) noexcept {
  return Quad(vsubq_f32(a.lanes, b.lanes));
}
[[gnu::always_inline]] inline Quad mul(const Quad& a, const Quad& b) noexcept {
  return Quad(vmulq_f32(a.lanes, b.lanes));
}
/// a * b + c, rounded once.
[[gnu::always_inline]] inline Quad fma(const Quad& a, const Quad& b, const Quad& c) noexcept {
  return Quad(vfmaq_f32(c.lanes, a.lanes, b.lanes));
}

}  // namespace heed_own_code
}  // namespace heed::port

namespace heed::detail {
inline namespace heed_own_code {

[[gnu::always_inline]] inline port::Quad exp2_nonpositive(const port::Quad& x) noexcept {
  float lanes[4];
  float totals[4];
  port::store_quad(lanes, x.lanes);
  exp2_of_differences<16, Totals::begin>(lanes, vdupq_n_f32(0.0F), totals, 1);
  return port::Quad(port::load_quad(lanes));
}

}  // namespace heed_own_code
}  // namespace heed::detail
