// SPDX-License-Identifier: MIT
#include "nn/activation.hpp"

#include <kernels/integer_sigmoid.hpp>
#include <kernels/map.hpp>
#include <kernels/sigmoid.hpp>
#include <port.hpp>

#include "common/constants.hpp"
#include "common/validation.hpp"
#include "heed/arena.hpp"
#include "math/functions.hpp"

namespace heed {
namespace detail {
namespace {

struct Relu {
  template <class Lanes>
  [[gnu::always_inline]] Lanes operator()(const Lanes& x) const noexcept {
    const Lanes zero = all_lanes<Lanes>(0.0F);
    return where_less(x, zero, zero, x);
  }
};

/// x * s without the NaN that -inf * 0 would give.
template <class Lanes>
[[gnu::always_inline]] inline Lanes scaled(const Lanes& x, const Lanes& s) noexcept {
  return mul(max(all_lanes<Lanes>(lowest), x), s);
}

struct GeluTanh {
  template <class Lanes>
  [[gnu::always_inline]] Lanes operator()(const Lanes& x) const noexcept {
    constexpr auto all = all_lanes<Lanes>;
    constexpr float twice_sqrt_2_over_pi = 1.59576912F;
    const Lanes inner = fma(mul(all(0.044715F), mul(x, x)), x, x);
    return scaled(x, sigmoid_lanes(mul(all(twice_sqrt_2_over_pi), inner)));
  }
};

struct GeluErf {
  template <class Lanes>
  [[gnu::always_inline]] Lanes operator()(const Lanes& x) const noexcept {
    constexpr auto all = all_lanes<Lanes>;
    constexpr float sqrt_half = 0.707106781F;
    const Lanes minus_one = all(-1.0F);
    const Lanes size = max(x, mul(minus_one, x));
    const Lanes tail = mul(all(0.5F), erfc_of_magnitude(mul(all(sqrt_half), size)));
    return scaled(x, where_less(x, all(0.0F), tail, fma(minus_one, tail, all(1.0F))));
  }
};

struct Silu {
  template <class Lanes>
  [[gnu::always_inline]] Lanes operator()(const Lanes& x) const noexcept {
    return scaled(x, sigmoid_lanes(x));
  }
};

/// Functions in integers are types with names: a port may replace the mapping of a whole row by one of them.
struct IntegerSilu {
  [[maybe_unused]] static constexpr bool is_integer_gelu = false;

  template <class Lanes>
  [[gnu::always_inline]] Lanes operator()(const Lanes& x) const noexcept {
    return scaled(x, integer_sigmoid(x));
  }
};

struct IntegerGelu {
  [[maybe_unused]] static constexpr bool is_integer_gelu = true;

  template <class Lanes>
  [[gnu::always_inline]] Lanes operator()(const Lanes& x) const noexcept {
    return scaled(x, integer_gaussian(x));
  }
};

}  // namespace

void map_activation(Activation kind, const float* from, const float* factors, std::uint32_t count, float* to) noexcept {
  switch (kind) {
    case Activation::relu: return map_scaled<Relu>(from, factors, count, to);
    case Activation::gelu_tanh: return map_scaled<GeluTanh>(from, factors, count, to);
    case Activation::gelu_erf: return map_scaled<GeluErf>(from, factors, count, to);
    case Activation::silu: return map_scaled<Silu>(from, factors, count, to);
  }
}

void map_integer_activation(Activation kind, const float* from, const float* factors, std::uint32_t count,
                            float* to) noexcept {
  switch (kind) {
    case Activation::relu: return map_scaled<Relu>(from, factors, count, to);
    case Activation::gelu_tanh:
    case Activation::gelu_erf: return map_scaled<IntegerGelu>(from, factors, count, to);
    case Activation::silu: return map_scaled<IntegerSilu>(from, factors, count, to);
  }
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
  for (std::uint32_t row = 0; row < rows; ++row) {
    detail::map_activation(kind, x.row(0, row), nullptr, dim, x.row(0, row));
  }
  return Status::ok;
}

Status gated(Activation kind, ConstMatrix gate, MutableMatrix values, std::uint32_t rows, std::uint32_t dim) noexcept {
  Status status = check(kind, values, rows, dim);
  if (status != Status::ok) return status;
  status = detail::check_input(gate, 1, rows, dim);
  if (status != Status::ok) return status;
  for (std::uint32_t row = 0; row < rows; ++row) {
    detail::map_activation(kind, gate.row(0, row), values.row(0, row), dim, values.row(0, row));
  }
  return Status::ok;
}

}  // namespace heed
