// SPDX-License-Identifier: MIT
//
// What all of the C interface is made of: null checks, bytes copied between twin structs, and a call; everything else
// is checked by the C++ call. Every struct has the size, the alignment and the members of its C++ twin, so that one is
// turned into the other by copying its bytes. A member added on one side only stops the build at the assertions beside
// its calls.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/executor.hpp"
#include "heed/heed_types.h"
#include "heed/status.hpp"
#include "heed/tensor.hpp"

/// Stops the build where two structs are no twins: one is turned into the other by copying its bytes.
#define HEED_SAME_MEMBER(c, cpp, member) \
  static_assert(offsetof(c, member) == offsetof(cpp, member) && sizeof(c::member) == sizeof(cpp::member))

namespace heed::detail {

template <class C, class Cpp>
inline constexpr bool same_size = sizeof(C) == sizeof(Cpp) && alignof(C) == alignof(Cpp);

template <class Enum>
inline constexpr int value_of(Enum option) noexcept {
  return static_cast<int>(option);
}

[[nodiscard]] inline heed_status answer(Status status) noexcept {
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
  Plan made{};
  const Status status = make_plan(std::bit_cast<decltype(Plan::config)>(*config), made);
  if (status == Status::ok) *plan = std::bit_cast<CPlan>(made);
  return answer(status);
}

/// Calls with a copy of the object, and stores the copy if that succeeded: for init and bind, which change the object.
template <class Object, class CObject, class Call>
[[nodiscard]] heed_status change(CObject* object, Call call) noexcept {
  if (object == nullptr) return HEED_NULL_POINTER;
  Object made{};
  const Status status = call(made);
  if (status == Status::ok) *object = std::bit_cast<CObject>(made);
  return answer(status);
}

/// Calls with a copy of the object and drops it: all state lies in the memory the object points to.
template <class Object, class CObject, class Call>
[[nodiscard]] heed_status use(const CObject* object, Call call) noexcept {
  if (object == nullptr) return HEED_NULL_POINTER;
  auto copy = std::bit_cast<Object>(*object);
  return answer(call(copy));
}

}  // namespace heed::detail
