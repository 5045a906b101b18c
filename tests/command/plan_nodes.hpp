// SPDX-License-Identifier: MIT
//
// What `heed plan --json` says of a memory.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>

namespace heed::test {

/// Children lie inside their parent, one after the other, on 64-byte boundaries.
inline void expect_nested(const nlohmann::json& node) {
  EXPECT_EQ(node.at("offset").get<std::uint64_t>() % 64, 0U) << node;
  std::uint64_t end = node["offset"];
  const std::uint64_t copies = node.value("copies", 1U);
  for (const nlohmann::json& child : node.value("regions", nlohmann::json::array())) {
    EXPECT_EQ(child.at("offset").get<std::uint64_t>(), end) << child;
    end += child.at("bytes").get<std::uint64_t>() * child.value("copies", 1U);
    expect_nested(child);
  }
  if (node.contains("regions")) {
    EXPECT_EQ(end - node["offset"].get<std::uint64_t>(), node["bytes"].get<std::uint64_t>()) << node;
  }
  EXPECT_GE(copies, 1U);
}

}  // namespace heed::test
