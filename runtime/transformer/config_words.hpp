// SPDX-License-Identifier: MIT
//
// The members of a ModelConfig, each a word of a model file.
#pragma once

#include <bit>
#include <cstdint>

#include "heed/detail/model_members.hpp"
#include "heed/model.hpp"

namespace heed::detail {

[[nodiscard]] constexpr std::uint32_t to_word(float member) noexcept {
  return std::bit_cast<std::uint32_t>(member);
}
[[nodiscard]] constexpr std::uint32_t to_word(const Opposite<const bool>& member) noexcept {
  return member.flag ? 0 : 1;
}

/// The words of these two begin with the enumerators relu and none.
[[nodiscard]] constexpr std::uint32_t to_word(Activation member) noexcept {
  constexpr std::uint32_t words[] = {2, 1, 0, 3};
  return words[static_cast<std::uint32_t>(member)];
}
[[nodiscard]] constexpr std::uint32_t to_word(Positions member) noexcept {
  constexpr std::uint32_t words[] = {1, 0, 2, 3};
  return words[static_cast<std::uint32_t>(member)];
}
template <class Member>
[[nodiscard]] constexpr std::uint32_t to_word(Member member) noexcept {
  return static_cast<std::uint32_t>(member);
}

/// Whether the word is a value of such a member. make_plan() says what is wrong with numbers.
[[nodiscard]] constexpr bool from_word(std::uint32_t word, std::uint32_t& member) noexcept {
  member = word;
  return true;
}
[[nodiscard]] constexpr bool from_word(std::uint32_t word, float& member) noexcept {
  member = std::bit_cast<float>(word);
  return true;
}
[[nodiscard]] constexpr bool from_word(std::uint32_t word, bool& member) noexcept {
  member = word != 0;
  return word <= 1;
}
[[nodiscard]] constexpr bool from_word(std::uint32_t word, Opposite<bool>& member) noexcept {
  member.flag = word == 0;
  return word <= 1;
}

template <class Enumeration>
inline constexpr Enumeration last_of{};
template <>
inline constexpr Norm last_of<Norm> = Norm::rms_norm;
template <>
inline constexpr NormPlacement last_of<NormPlacement> = NormPlacement::parallel;
template <>
inline constexpr QkNorm last_of<QkNorm> = QkNorm::heads;
template <>
inline constexpr RotaryScaling last_of<RotaryScaling> = RotaryScaling::llama3;
template <>
inline constexpr Pooler last_of<Pooler> = Pooler::relu;
template <>
inline constexpr Activation last_of<Activation> = Activation::silu;
template <>
inline constexpr RotaryLayout last_of<RotaryLayout> = RotaryLayout::interleaved;
template <>
inline constexpr DataType last_of<DataType> = DataType::int4_multipliers;
template <>
inline constexpr ModelInput last_of<ModelInput> = ModelInput::none;
template <>
inline constexpr Positions last_of<Positions> = Positions::rotary;
template <>
inline constexpr Pooling last_of<Pooling> = Pooling::mean_of_rest;

template <class Enumeration>
[[nodiscard]] constexpr bool from_word(std::uint32_t word, Enumeration& member) noexcept {
  const bool known = word <= static_cast<std::uint32_t>(last_of<Enumeration>);
  // What swaps two enumerators swaps them back.
  if (known) member = static_cast<Enumeration>(to_word(static_cast<Enumeration>(word)));
  return known;
}

}  // namespace heed::detail
