// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "formats/c_source.hpp"
#include "heed/model.hpp"

namespace heed::tools {

/// A model file as a constant array `name` on the boundary that it needs, <name>_bytes, and its configuration as
/// <name>_config.
[[nodiscard]] CSource model_source(const std::string& name, const ModelConfig& config, std::span<const std::byte> file);

/// Looks where an assembler file and its header go, before anything is read; a Failure where they cannot be written.
void expect_incbin(const std::filesystem::path& stub);

/// Adds the assembler file `stub`, which puts the bytes of the file `model` into constant data under the symbols `name`
/// and <name>_bytes, and beside it a header of its name with .h, which declares them, and <name>_config.
void add_incbin(OutputFiles& files, const std::filesystem::path& stub, const std::filesystem::path& model,
                const std::string& name, const ModelConfig& config, std::size_t bytes);

}  // namespace heed::tools
