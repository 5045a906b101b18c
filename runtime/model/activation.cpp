// SPDX-License-Identifier: MIT
#include "model/activation.hpp"

#include <port.hpp>

#include "common/constants.hpp"
#include "common/validation.hpp"
#include "heed/detail/layout.hpp"
#include "math/erf.hpp"
#include "math/sigmoid.hpp"

namespace heed {
namespace detail {
namespace {

using port::f32x16;

struct Relu {
  [[gnu::always_inline]] f32x16 operator()(const f32x16& x) const noexcept {
    const f32x16 zero = port::set(0.0F);
    return port::where_less(x, zero, zero, x);
  }
};

/// x * s without the NaN that -inf * 0 would give.
[[gnu::always_inline]] inline f32x16 scaled(const f32x16& x, const f32x16& s) noexcept {
  return port::mul(port::max(port::set(lowest), x), s);
}

struct GeluTanh {
  [[gnu::always_inline]] f32x16 operator()(const f32x16& x) const noexcept {
    using namespace port;
    constexpr float twice_sqrt_2_over_pi = 1.59576912F;
    const f32x16 inner = fma(mul(set(0.044715F), mul(x, x)), x, x);
    return scaled(x, sigmoid_lanes(mul(set(twice_sqrt_2_over_pi), inner)));
  }
};

struct GeluErf {
  [[gnu::always_inline]] f32x16 operator()(const f32x16& x) const noexcept {
    using namespace port;
    constexpr float sqrt_half = 0.707106781F;
    const f32x16 minus_one = set(-1.0F);
    const f32x16 size = max(x, mul(minus_one, x));
    const f32x16 tail = mul(set(0.5F), erfc_of_magnitude(mul(set(sqrt_half), size)));
    return scaled(x, where_less(x, set(0.0F), tail, fma(minus_one, tail, set(1.0F))));
  }
};

struct Silu {
  [[gnu::always_inline]] f32x16 operator()(const f32x16& x) const noexcept { return scaled(x, sigmoid_lanes(x)); }
};

/// f(activation), for the function object of a kind.
template <class Function>
void with_activation(Activation kind, const Function& f) noexcept {
  switch (kind) {
    case Activation::relu: return f(Relu{});
    case Activation::gelu_tanh: return f(GeluTanh{});
    case Activation::gelu_erf: return f(GeluErf{});
    case Activation::silu: return f(Silu{});
  }
}

}  // namespace

void activate_row(Activation kind, float* values, std::uint32_t count) noexcept {
  using namespace port;
  with_activation(kind, [&](const auto& activation) noexcept {
    std::uint32_t i = 0;
    for (; i + lanes <= count; i += lanes) store(values + i, activation(load(values + i)));
    const int rest = static_cast<int>(count - i);
    if (rest > 0) store_partial(values + i, activation(load_partial(values + i, rest)), rest);
  });
}

void gate_row(Activation kind, const float* gate, float* values, std::uint32_t count) noexcept {
  using namespace port;
  with_activation(kind, [&](const auto& activation) noexcept {
    std::uint32_t i = 0;
    for (; i + lanes <= count; i += lanes) store(values + i, mul(activation(load(gate + i)), load(values + i)));
    const int rest = static_cast<int>(count - i);
    if (rest > 0) {
      const f32x16 opened = activation(load_partial(gate + i, rest));
      store_partial(values + i, mul(opened, load_partial(values + i, rest)), rest);
    }
  });
}

}  // namespace detail

namespace {

[[nodiscard]] Status check(Activation kind, const MutableMatrix& x, std::uint32_t rows, std::uint32_t dim) noexcept {
  if (rows == 0 || dim == 0) return Status::zero_dimension;
  if (rows > max_rows || dim > max_dimension) return Status::too_large;
  if (kind > Activation::silu) return Status::bad_option;
  return detail::check_output(x, 1, rows, dim);
}

}  // namespace

Status activate(Activation kind, MutableMatrix x, std::uint32_t rows, std::uint32_t dim) noexcept {
  const Status status = check(kind, x, rows, dim);
  if (status != Status::ok) return status;
  for (std::uint32_t row = 0; row < rows; ++row) detail::activate_row(kind, x.row(0, row), dim);
  return Status::ok;
}

Status gated(Activation kind, ConstMatrix gate, MutableMatrix values, std::uint32_t rows, std::uint32_t dim) noexcept {
  Status status = check(kind, values, rows, dim);
  if (status != Status::ok) return status;
  status = detail::check_input(gate, 1, rows, dim);
  if (status != Status::ok) return status;
  for (std::uint32_t row = 0; row < rows; ++row) {
    detail::gate_row(kind, gate.row(0, row), values.row(0, row), dim);
  }
  return Status::ok;
}

}  // namespace heed
