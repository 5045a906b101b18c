// SPDX-License-Identifier: MIT
//
// What all of the C++ interface uses: statuses and why a configuration has no plan, tensors, the library's version, and
// how the calling thread computes floats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "heed/heed_types.h"

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "heed: the .hpp headers are C++20: compile with -std=c++20, or include heed/heed.h, which serves C99 and C++98"
#endif

namespace heed {

/// One line of text for a status, in static storage.
[[nodiscard]] constexpr const char* to_string(Status status) noexcept {
  switch (status) {
    case Status::ok: return "ok";
    case Status::zero_dimension: return "a dimension or a count that must be at least 1 is 0";
    case Status::heads_not_divisible: return "heads is not a multiple of kv_heads, or does not divide model_dim";
    case Status::too_large:
      return "a dimension or a count exceeds its limit, or the sizes do not fit a 32-bit address space";
    case Status::bad_workers: return "workers exceeds the limit of 64";
    case Status::arena_too_small: return "a memory, packed weights or a file has fewer bytes than the plan says";
    case Status::arena_misaligned: return "a memory, packed weights or a file does not begin on a boundary of 64 bytes";
    case Status::null_pointer: return "a pointer that this call needs is null";
    case Status::bad_stride: return "an output stride is smaller than what it steps over, or a stride overflows";
    case Status::bad_length: return "a length or a selection exceeds what is there, or a table has another size";
    case Status::bad_scale:
      return "a scale is not a finite number, or outside its range, or weights are too small for their type";
    case Status::bad_option: return "an option has no such value, lies outside its range, or does not go with another";
    case Status::keys_exceed_plan: return "there are more keys than the plan's max_keys";
    case Status::cache_full: return "the key-value cache has no room for that many tokens";
    case Status::bad_sequence: return "a sequence does not exist in this cache, or is named twice";
    case Status::bad_token: return "a token id, or the type of a token, is none of the model's";
    case Status::not_initialised: return "init() has not succeeded on this object";
    case Status::wrong_weights: return "the packed weights or the file were not made for this plan";
    case Status::bad_state: return "the memory to bind does not hold a state that this plan can have left";
    case Status::plan_mismatch: return "the plan does not fit this call, or another object in it";
    case Status::bad_base: return "the base of the positions is not a finite number above 1";
    case Status::bad_rotary: return "a dimension or factor of the rotary positions is outside its range";
    case Status::bad_position: return "a position lies beyond those of the table or of the model";
    case Status::ring_wrapped: return "a ring has overwritten tokens, and this call needs them or the order of time";
    case Status::not_empty: return "a sequence of the cache holds tokens, and this call needs an empty cache";
    case Status::not_finite:
      return "a key is NaN or infinite, which scales per channel cannot hold; or no logit is a number";
    case Status::bad_file: return "the bytes are not a model file, or not all of one";
    case Status::overlap: return "two of the memories or tensors given overlap";
    case Status::missing_format: return "a format, a ring, pages or the extension that this needs was not named";
    case Status::bad_float_environment:
      return "the program's functions for floats flush subnormal numbers or round otherwise: link the compiler's own";
  }
  return "unknown status";
}

/// Tensor<const float> is an input, Tensor<float> an output; matrices likewise.
template <class Element>
using Tensor = std::conditional_t<std::is_const_v<Element>, ConstTensor, MutableTensor>;
template <class Element>
using Matrix = std::conditional_t<std::is_const_v<Element>, ConstMatrix, MutableMatrix>;

/// Dense [batch, rows, dim].
template <class Element>
[[nodiscard]] constexpr Matrix<Element> dense(Element* data, std::size_t rows, std::size_t dim) noexcept {
  return {data, static_cast<std::ptrdiff_t>(rows * dim), static_cast<std::ptrdiff_t>(dim)};
}

/// Dense [batch, heads, rows, dim].
template <class Element>
[[nodiscard]] constexpr Tensor<Element> bhsd(Element* data, std::size_t heads, std::size_t rows,
                                             std::size_t dim) noexcept {
  return {data, static_cast<std::ptrdiff_t>(heads * rows * dim), static_cast<std::ptrdiff_t>(rows * dim),
          static_cast<std::ptrdiff_t>(dim)};
}

/// Dense [batch, rows, heads, dim]: what a projection of [batch, rows, heads * dim] writes; no copy is needed.
template <class Element>
[[nodiscard]] constexpr Tensor<Element> bshd(Element* data, std::size_t heads, std::size_t rows,
                                             std::size_t dim) noexcept {
  return {data, static_cast<std::ptrdiff_t>(rows * heads * dim), static_cast<std::ptrdiff_t>(dim),
          static_cast<std::ptrdiff_t>(heads * dim)};
}

/// For example {too_large, "heads", 70000, 1, 65536, ""}.
struct Explanation {
  Status status = Status::ok;  ///< what make_plan() returns; with ok the rest means nothing
  const char* member = "";     ///< its name in the configuration, or in the BlockMemory, in static storage
  double value = 0.0;          ///< with every 0 replaced by what it means
  double least = 0.0;          ///< least and most are allowed by this check; others may leave less
  double most = 0.0;
  const char* rule = "";  ///< what the range does not say, in words: "must divide heads"
};

namespace detail {

/// What make_plan() tells its reasons: nobody.
struct Unexplained {
  template <class... Reason>
  [[gnu::always_inline]] constexpr Status operator()(Status status, const Reason&... /*reason*/) const noexcept {
    return status;
  }
  /// A member has another name in the configuration around the one that was refused.
  [[gnu::always_inline]] constexpr void rename(const char* /*from*/, const char* /*to*/) const noexcept {}
};

/// Keeps the reason.
struct Explainer {
  Explanation* to;

  template <class Value, class Least, class Most>
  constexpr Status operator()(Status status, const char* member, Value value, Least least, Most most,
                              const char* rule = "") const noexcept {
    *to = {status, member, static_cast<double>(value), static_cast<double>(least), static_cast<double>(most), rule};
    return status;
  }
  constexpr void rename(const char* from, const char* to_name) const noexcept {
    const char* member = to->member;
    while (*from != '\0' && *member == *from) ++member, ++from;
    if (*from == '\0' && *member == '\0') to->member = to_name;
  }
};

/// The only reason that has no member.
template <class Say>
[[nodiscard]] constexpr Status sizes_too_large(Say say) noexcept {
  return say(Status::too_large, "", 0, 0, 0xFFFFFFFFU, "a memory of the plan has more than 2^32 - 1 bytes");
}

}  // namespace detail

/// What make_plan() says of a configuration, by the same checks: explain<AttentionPlan>(config), or
/// explain<ModelPlan>(config, memory).
template <class Plan, class... Configs>
[[nodiscard]] constexpr Explanation explain(const Configs&... configs) noexcept {
  Explanation found;
  Plan plan{};
  found.status = make_plan(configs..., plan, detail::Explainer{&found});
  return found;
}

/// The HEED_VERSION of the library that is linked, in static storage; the macro itself is that of the headers.
[[nodiscard]] inline const char* version() noexcept {
  return heed_version();
}

/// Whether the calling thread computes floats as bit-identical results require: rounded to nearest, ties to even, with
/// subnormal numbers neither read nor written as 0. Threads and boards start that way; fesetround(), setting FTZ, DAZ
/// or FPSCR, and linking with gcc's -ffast-math change it. Workers of an executor are threads of their own: each can
/// call it. It reports on the scalar unit; the vectors of 32-bit NEON and Helium flush subnormal numbers whatever its
/// setting.
[[nodiscard]] bool float_environment_is_standard() noexcept;

}  // namespace heed
