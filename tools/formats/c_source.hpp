// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "formats/files.hpp"

namespace heed::tools {

/// A constant array of C and C++, and what its header says besides.
struct CSource {
  std::string comment;       ///< one line, what the files hold
  std::string includes;      ///< lines
  std::string declarations;  ///< what comes before the array
  std::string qualifier;     ///< "HEED_ALIGNED " or nothing
  std::string type;          ///< of an element
  std::string name;
  std::size_t count = 0;  ///< of elements, at least 1
  std::string elements;   ///< lines of them, with a comma after each
};

/// Adds the header `file`. It holds the array, as `static const`; or else only its declaration, for any number of files
/// to include, and the C file `definition`, which includes the header by its name without folders, holds the array. An
/// empty `definition`: there is none.
void add_c_source(OutputFiles& files, const std::filesystem::path& file, const std::filesystem::path& definition,
                  const CSource& source);

/// A Failure that begins with `option` unless the text is a name that C and C++ leave to their users.
void require_c_name(const std::string& option, const std::string& text);

}  // namespace heed::tools
