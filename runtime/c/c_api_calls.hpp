// SPDX-License-Identifier: MIT
//
// What all of the C interface is made of: null checks, structs that are read as their C++ twins, and a call; everything
// else is checked by the C++ call. Every struct has the size, the alignment and the members of its C++ twin. Objects
// and plans are used where the caller has them, because a small stack has no room for a second one; what a call adapts,
// such as a 0 that means 1, is copied. A member added on one side only stops the build at the assertions beside its
// calls.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "heed/executor.hpp"
#include "heed/heed_types.h"
#include "heed/status.hpp"
#include "heed/tensor.hpp"

/// Stops the build where two structs are no twins: the bytes of one are those of the other.
#define HEED_SAME_MEMBER(c, cpp, member) \
  static_assert(offsetof(c, member) == offsetof(cpp, member) && sizeof(c::member) == sizeof(cpp::member))

namespace heed::detail {

template <class C, class Cpp>
inline constexpr bool same_size = sizeof(C) == sizeof(Cpp) && alignof(C) == alignof(Cpp);

template <class Enum>
inline constexpr int value_of(Enum option) noexcept {
  return static_cast<int>(option);
}

/// What was written as one twin is read as the other after this: a compiler that sees both sides would conclude from
/// the types that the two share no memory.
inline void change_sides() noexcept {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/// The twin of a struct of C, in its bytes.
template <class Cpp, class C>
[[nodiscard]] auto& in_place(C& object) noexcept {
  static_assert(same_size<C, Cpp> && std::is_trivially_copyable_v<Cpp> && std::is_trivially_destructible_v<Cpp>);
  change_sides();
  return *reinterpret_cast<std::conditional_t<std::is_const_v<C>, const Cpp, Cpp>*>(&object);
}

[[nodiscard]] inline heed_status answer(Status status) noexcept {
  change_sides();
  return static_cast<heed_status>(static_cast<std::uint8_t>(status));
}

[[nodiscard]] inline std::span<std::byte> memory_of(void* data, std::size_t bytes) noexcept {
  return {static_cast<std::byte*>(data), bytes};
}

[[nodiscard]] inline std::span<const std::byte> memory_of(const void* data, std::size_t bytes) noexcept {
  return {static_cast<const std::byte*>(data), bytes};
}

[[nodiscard]] inline ConstTensor view_of(const heed_const_tensor& tensor) noexcept {
  return std::bit_cast<ConstTensor>(tensor);
}

/// A count that is 1 unless it is set, as in the C++ struct.
[[nodiscard]] constexpr std::uint32_t at_least_one(std::uint32_t count) noexcept {
  return count == 0 ? 1 : count;
}

[[nodiscard]] inline Executor executor_of(const heed_executor* executor) noexcept {
  return executor == nullptr ? Executor{} : std::bit_cast<Executor>(*executor);
}

template <class Plan, class CConfig, class CPlan>
[[nodiscard]] heed_status write_plan(const CConfig* config, CPlan* plan) noexcept {
  if (config == nullptr || plan == nullptr) return HEED_NULL_POINTER;
  return answer(make_plan(in_place<decltype(Plan::config)>(*config), in_place<Plan>(*plan)));
}

/// Calls with the object where the caller has it.
template <class Object, class CObject, class Call>
[[nodiscard]] heed_status use(CObject* object, Call call) noexcept {
  if (object == nullptr) return HEED_NULL_POINTER;
  return answer(call(in_place<Object>(*object)));
}

}  // namespace heed::detail
