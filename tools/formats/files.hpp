// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace heed::tools {

/// The whole content of a file.
[[nodiscard]] std::string read_file(const std::filesystem::path& file);

/// The files that a command leaves behind: collected while it computes, written when nothing can fail any more but the
/// disk. Each is first written under a name of its own beside its place and then renamed, so that no reader ever sees
/// half of one, and no other file is lost.
class OutputFiles {
 public:
  /// `option` names the file on the command line; messages begin with it.
  void add(const std::filesystem::path& file, std::string bytes, const std::string& option = "");
  void write() const;

 private:
  struct Output {
    std::filesystem::path file;
    std::string refusal;  ///< the message if it cannot be written, but for the reason
    std::string bytes;
    bool in_place = false;  ///< neither a file nor missing: a device, a pipe
  };

  std::vector<Output> outputs_;
};

}  // namespace heed::tools
