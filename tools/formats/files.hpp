// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/output_place.hpp"

namespace heed::tools {

/// The whole content of a file, which no expected output may replace.
[[nodiscard]] std::string read_file(const std::filesystem::path& file);

/// The same of a file that need not be there, a dangling link included; one that cannot be read is a FileFailure.
[[nodiscard]] std::optional<std::string> read_optional_file(const std::filesystem::path& file);

/// The files that a command leaves behind: collected while it computes, written when nothing can fail any more but the
/// disk. Each is first written under a name of its own beside its place and then renamed, so that no reader ever sees
/// half of one, and no other file is lost; a signal that ends the command leaves none of either name.
class OutputFiles {
 public:
  /// `option` names the file on the command line; messages begin with it.
  void add(const std::filesystem::path& file, std::string bytes, const std::string& option);

  /// The same with bytes that stay where they are until they are written, and some that come after them.
  void add_view(const std::filesystem::path& file, std::string_view bytes, const std::string& option,
                std::string last = {});

  /// A Failure, too, if an input has been changed since it was opened.
  void write() const;

 private:
  struct Output {
    OutputPlace place;
    std::string_view view;  ///< bytes of somebody else, and after them
    std::string bytes;
  };

  std::vector<Output> outputs_;
};

}  // namespace heed::tools
