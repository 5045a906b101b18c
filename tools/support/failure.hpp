// SPDX-License-Identifier: MIT
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "heed/types.hpp"

namespace heed::tools {

/// How the command ends.
inline constexpr int exit_done = 0;
inline constexpr int exit_differs = 1;  ///< two runs do differ: an answer
inline constexpr int exit_trouble = 2;

/// What the user did wrong, as one line. The command prints it and exits with exit_trouble.
class Failure : public std::exception {
 public:
  explicit Failure(std::string message) : message_(std::move(message)) {}

  /// The whole text: what() ends at a zero byte, which a name from a file may have.
  [[nodiscard]] const std::string& message() const noexcept { return message_; }
  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }

  void put_in_front(const std::string& text) { message_.insert(0, text); }

 private:
  std::string message_;
};

/// A file that is there and cannot be read, or that an output would replace: never a reason to go on without it.
class FileFailure : public Failure {
 public:
  using Failure::Failure;
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
  } catch (Failure& failure) {
    failure.put_in_front(option + ": ");
    throw;
  }
}

}  // namespace heed::tools
