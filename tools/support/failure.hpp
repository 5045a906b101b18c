// SPDX-License-Identifier: MIT
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "heed/types.hpp"

namespace heed::tools {

/// What the user did wrong, as one line. The command prints it and exits with code 2.
class Failure : public std::exception {
 public:
  explicit Failure(std::string message) : message_(std::move(message)) {}

  /// The whole text: what() ends at a zero byte, which a name from a file may have.
  [[nodiscard]] const std::string& message() const noexcept { return message_; }
  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

/// Turns a refusal of the library into a Failure; `what` names the operation and the shapes at hand.
inline void require_ok(Status status, const std::string& what) {
  if (status != Status::ok) throw Failure(what + ": " + to_string(status));
}

/// What `read` returns; its Failure begins with the option that named the file.
template <class Read>
auto with_option(const std::string& option, Read read) {
  try {
    return read();
  } catch (const Failure& failure) {
    throw Failure(option + ": " + failure.message());
  }
}

}  // namespace heed::tools
