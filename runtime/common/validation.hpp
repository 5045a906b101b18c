// SPDX-License-Identifier: MIT
//
// Validation shared by the entry points. Kernels trust their arguments; everything a caller can get wrong is found here
// or in the entry point itself, before anything is written; and what the caller promises about plans is checked here in
// builds with HEED_CHECK_PLANS, which CMake defines for Debug alone: each call plans once more, on more stack.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <port.hpp>
#include <span>

#include "common/compiler_flags.hpp"
#include "common/constants.hpp"
#include "heed/arena.hpp"
#include "heed/types.hpp"

namespace heed::detail {

/// Traps unless the plan is what make_plan() makes of its configuration: it was changed, or is not there any more.
template <class Plan>
inline void assert_plan_unchanged([[maybe_unused]] const Plan& plan) noexcept {
#ifdef HEED_CHECK_PLANS
  Plan made{};
  if constexpr (requires { plan.memory; }) {
    if (make_plan(plan.config, plan.memory, made) != Status::ok) __builtin_trap();
  } else if constexpr (requires { plan.block; }) {
    if (make_plan(plan.config, plan.block.memory, made) != Status::ok) __builtin_trap();
  } else {
    if (make_plan(plan.config, made) != Status::ok) __builtin_trap();
  }
  if (!(made == plan)) __builtin_trap();
#endif
}

/// Where floats are functions, an SDK may have put its own in place of the compiler's, and they round for the whole
/// program. A floating-point unit has a setting for each thread, which float_environment_is_standard() reads.
[[nodiscard]] inline Status check_floats() noexcept {
  if constexpr (port::has_float_unit) return Status::ok;
  return float_environment_is_standard() ? Status::ok : Status::bad_float_environment;
}

/// One dimension of a tensor: how many steps of which stride.
struct Extent {
  std::uint32_t count;
  std::ptrdiff_t stride;
};

/// null_pointer, or bad_stride where an element lies outside the address space.
[[nodiscard]] Status check_input(const void* data, const std::span<const Extent>& extents, std::uint32_t dim) noexcept;

[[nodiscard]] Status check_input(const ConstTensor& tensor, std::uint32_t batch, std::uint32_t heads,
                                 std::uint32_t rows, std::uint32_t dim) noexcept;

/// The same, and bad_stride where two elements share an address.
[[nodiscard]] Status check_output(const MutableTensor& tensor, std::uint32_t batch, std::uint32_t heads,
                                  std::uint32_t rows, std::uint32_t dim) noexcept;

[[nodiscard]] Status check_input(const ConstMatrix& matrix, std::uint32_t batch, std::uint32_t rows,
                                 std::uint32_t dim) noexcept;

[[nodiscard]] Status check_output(const MutableMatrix& matrix, std::uint32_t batch, std::uint32_t rows,
                                  std::uint32_t dim) noexcept;

/// A memory that a call is given, and how many bytes of it the call uses, from its start.
struct UsedMemory {
  const std::byte* data;
  std::size_t size;
  std::size_t bytes;
};

[[nodiscard]] constexpr UsedMemory used(std::span<const std::byte> memory, std::size_t bytes) noexcept {
  return {memory.data(), memory.size(), bytes};
}

/// check_memory() of each; overlap: two of them share a byte that is used.
[[nodiscard]] Status check_memories(const UsedMemory (&memories)[3]) noexcept;

inline namespace heed_own_code {

[[nodiscard]] inline Status check_memory(std::span<const std::byte> memory, std::size_t bytes) noexcept {
  if (memory.data() == nullptr) return Status::null_pointer;
  if (memory.size() < bytes) return Status::arena_too_small;
  if (reinterpret_cast<std::uintptr_t>(memory.data()) % arena_alignment != 0) return Status::arena_misaligned;
  return Status::ok;
}

/// The cache sequence of a batch entry; null: 0, 1, 2, ...
[[nodiscard]] inline std::uint32_t sequence_of(const std::uint32_t* sequences, std::uint32_t batch) noexcept {
  return sequences != nullptr ? sequences[batch] : batch;
}

[[nodiscard]] inline bool is_finite(float x) noexcept {
  return (std::bit_cast<std::uint32_t>(x) & 0x7F800000U) != 0x7F800000U;
}

/// Whether scores can be computed with a scale: 0, which means another number, or one whose product with log2(e) is
/// neither subnormal nor infinite.
[[nodiscard]] inline bool is_scale(float x) noexcept {
  const std::uint32_t exponent = std::bit_cast<std::uint32_t>(port::compact_product(x, log2_e)) >> 23 & 0xFF;
  return std::bit_cast<std::uint32_t>(x) << 1 == 0 || exponent - 1 < 0xFE;
}

/// The stride of a dimension, for kernels, which may compute with it after the last step: 0 where a single step leaves
/// it unchecked.
[[nodiscard]] constexpr std::ptrdiff_t used_stride(std::uint32_t count, std::ptrdiff_t stride) noexcept {
  return count > 1 ? stride : 0;
}

}  // namespace heed_own_code
}  // namespace heed::detail
