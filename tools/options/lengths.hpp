// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace heed::tools {

/// One length, 0..limit, per batch entry: from a list such as "3,0,7" or from a .npy file of int32 or int64 [batch].
/// `option` begins the message of a Failure.
[[nodiscard]] std::vector<std::uint32_t> read_lengths(const std::string& option, const std::string& text,
                                                      std::size_t batch, std::uint32_t limit);

}  // namespace heed::tools
