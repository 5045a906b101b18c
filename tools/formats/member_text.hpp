// SPDX-License-Identifier: MIT
//
// A member of a configuration in JSON, C++ and C.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>

#include "formats/config_members.hpp"

namespace heed::tools {

/// What an enumerator is called in JSON and in C++.
template <class Enumeration>
requires std::is_enum_v<Enumeration> std::string word_of(Enumeration member) {
  return std::string(enumerators(member).names.at(static_cast<std::size_t>(member)));
}

template <class Member>
nlohmann::ordered_json json_of(Member member) {
  if constexpr (std::is_enum_v<Member>) {
    return word_of(member);
  } else if constexpr (std::is_same_v<Member, float>) {
    // The shortest digits that read back to the same float.
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, member).ptr;
    return nlohmann::ordered_json::parse(digits, end);
  } else {
    return member;
  }
}

template <class Member>
std::string source_of(Member member) {
  if constexpr (std::is_enum_v<Member>) {
    return std::string("heed::") + enumerators(member).type + "::" + word_of(member);
  } else if constexpr (std::is_same_v<Member, float>) {
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, member, std::chars_format::hex).ptr;
    return "0x" + std::string(digits, end) + "F";
  } else if constexpr (std::is_same_v<Member, bool>) {
    return member ? "true" : "false";
  } else {
    return std::to_string(member);
  }
}

/// Enumerators of C have names of their own; a comment has the word.
template <class Member>
std::string c_source_of(Member member) {
  if constexpr (std::is_enum_v<Member>) {
    return std::to_string(static_cast<std::uint32_t>(member)) + " /* " + word_of(member) + " */";
  } else if constexpr (std::is_same_v<Member, bool>) {
    return member ? "1" : "0";
  } else {
    return source_of(member);
  }
}

}  // namespace heed::tools
