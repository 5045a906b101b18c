// SPDX-License-Identifier: MIT
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <string>

namespace heed::tools {

/// Where an output goes.
struct OutputPlace {
  std::filesystem::path file;  ///< behind all symbolic links
  std::string refusal;         ///< the message if it cannot be written, but for the reason
  bool in_place = false;       ///< neither a file nor missing: a device, a pipe
};

/// Looks where `file` goes, and changes nothing. A Failure, which begins with `option`, its name on the command line,
/// where no file can be written, or where it would replace an input or the output of another option.
[[nodiscard]] OutputPlace expect_output(const std::filesystem::path& file, const std::string& option);

/// What is written into a file.
enum class OutputKind {
  any,  ///< the other options decide
  array,
  tensors,
  json,
  picture,
  header,
  source,
  assembler,
  packed,  ///< weights, a model or a tokenizer
};

/// A Failure if the name of the file, by its extension, says that something else is in it.
void require_kind(const std::filesystem::path& file, const std::string& option, OutputKind kind);

/// Takes note of a file that is read, whatever its name; a FileFailure if an expected output would replace it.
void expect_input(const std::filesystem::path& file, const struct stat& status);

/// A FileFailure if one of these files has been written to since.
void require_unchanged_inputs();

/// Why the last call of the system failed.
[[nodiscard]] std::string system_reason();

}  // namespace heed::tools
