// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include "formats/c_source.hpp"

namespace heed::tools {

/// The content of a .npy file as a constant array `name` in C order, with its shape as <name>_dim0, <name>_dim1, ...
/// and the number of its elements as <name>_count. Float types become float, in hexadecimal, so that every compiler
/// reads the same bits back; int32 and int64 become int32_t. A Failure for NaN, which has no such text, for whole
/// numbers beyond 32 bits and for no elements at all.
[[nodiscard]] CSource npy_source(const std::string& name, const std::filesystem::path& file);

}  // namespace heed::tools
