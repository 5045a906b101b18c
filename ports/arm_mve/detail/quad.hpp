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
[[gnu::always_inline]] inline Quad add(const Quad& a, const Quad& b) noexcept {
  return Quad(vaddq_f32(a.lanes, b.lanes));
}
[[gnu::always_inline]] inline Quad div(const Quad& a, const Quad& b) noexcept {
  float32x4_t quotient = a.lanes;
  for (int i = 0; i < 4; ++i) quotient[i] = a.lanes[i] / b.lanes[i];
  return Quad(quotient);
}

/// x where a > b, otherwise y; not greater where one is NaN. Compilers move the predicate to a core register and back.
[[gnu::always_inline]] inline Quad where_greater(const Quad& a, const Quad& b, const Quad& x, const Quad& y) noexcept {
  float32x4_t chosen;
  asm("vcmp.f32 gt, %q1, %q2\n"
      "vpsel %q0, %q3, %q4\n"
      : "=w"(chosen)
      : "w"(a.lanes), "w"(b.lanes), "w"(x.lanes), "w"(y.lanes)
      : "p0");
  return Quad(chosen);
}

[[gnu::always_inline]] inline Quad max(const Quad& a, const Quad& b) noexcept {
  return where_greater(a, b, a, b);
}
[[gnu::always_inline]] inline Quad where_less(const Quad& a, const Quad& b, const Quad& x, const Quad& y) noexcept {
  return where_greater(b, a, x, y);
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
