// SPDX-License-Identifier: MIT
//
// The members of a ModelConfig in the order of a model file, each a word.
#pragma once

#include <bit>
#include <cstdint>

#include "heed/model.hpp"

namespace heed::detail {

/// A flag of which the file has the opposite.
template <class Flag>
struct Opposite {
  Flag& flag;
};
template <class Flag>
Opposite(Flag&) -> Opposite<Flag>;

/// Calls visit(name, member) for each; Config is ModelConfig or const ModelConfig.
template <class Config, class Visit>
void for_each_member(Config& config, const Visit& visit) noexcept {
  auto& block = config.block;
  visit("block.model_dim", block.model_dim);
  visit("block.heads", block.heads);
  visit("block.kv_heads", block.kv_heads);
  visit("block.head_dim", block.head_dim);
  visit("block.mlp_dim", block.mlp_dim);
  visit("block.cross_dim", block.cross_dim);
  visit("block.norm_epsilon", block.norm_epsilon);
  visit("block.weight_type", block.weight_type);
  visit("block.norm", block.norm);
  visit("block.norm_placement", block.norm_placement);
  visit("block.activation", block.activation);
  visit("block.gated", block.gated);
  visit("blocks", config.blocks);
  visit("input_dim", config.input_dim);
  visit("max_positions", config.max_positions);
  visit("outputs", config.outputs);
  visit("embedding_scale", config.embedding_scale);
  visit("rotary_base", config.rotary_base);
  visit("rotary_dim", config.rotary_dim);
  visit("rotary_layout", config.rotary_layout);
  visit("input_type", config.input_type);
  visit("head_type", config.head_type);
  visit("input", config.input);
  visit("positions", config.positions);
  visit("pooling", config.pooling);
  visit("class_token", config.class_token);
  visit("causal", Opposite{config.encoder});
  visit("embedding_norm", config.embedding_norm);
  visit("final_norm", Opposite{config.without_final_norm});
  visit("tied_head", config.tied_head);
}

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
inline constexpr NormPlacement last_of<NormPlacement> = NormPlacement::after;
template <>
inline constexpr Activation last_of<Activation> = Activation::silu;
template <>
inline constexpr RotaryLayout last_of<RotaryLayout> = RotaryLayout::interleaved;
template <>
inline constexpr DataType last_of<DataType> = DataType::int4_groups;
template <>
inline constexpr ModelInput last_of<ModelInput> = ModelInput::frames;
template <>
inline constexpr Positions last_of<Positions> = Positions::rotary;
template <>
inline constexpr Pooling last_of<Pooling> = Pooling::every;

template <class Enumeration>
[[nodiscard]] constexpr bool from_word(std::uint32_t word, Enumeration& member) noexcept {
  const bool known = word <= static_cast<std::uint32_t>(last_of<Enumeration>);
  // What swaps two enumerators swaps them back.
  if (known) member = static_cast<Enumeration>(to_word(static_cast<Enumeration>(word)));
  return known;
}

}  // namespace heed::detail
