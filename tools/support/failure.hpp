// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>
#include <string>

#include "heed/status.hpp"

namespace heed::tools {

/// What the user did wrong, as one line. The command prints it and exits with code 2.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Turns a refusal of the library into a Failure; `what` names the operation and the shapes at hand.
inline void require_ok(Status status, const std::string& what) {
  if (status != Status::ok) throw Failure(what + ": " + to_string(status));
}

}  // namespace heed::tools
