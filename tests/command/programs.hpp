// SPDX-License-Identifier: MIT
//
// Compiling and running what the desktop command writes in C and C++.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "command/command.hpp"

namespace heed::test {

/// Compiles a program as C and as C++ in the folder, with `source`, a C file there or nothing, and runs both there:
/// they must end with 0.
inline void expect_program(const std::string& folder, const std::string& text, const std::string& source = "") {
  const std::string flags = " -Wall -Wextra -Werror -I '" HEED_SOURCE_DIR "/include' ";
  const std::string in_folder = "cd '" + folder + "' && ";
  std::string object;
  if (!source.empty()) {
    object = " -x none source.o";
    const std::string line = in_folder + HEED_C_COMPILER " -std=c11 -pedantic -c" + flags + source + " -o source.o";
    EXPECT_EQ(std::system(line.c_str()), 0) << line;
  }
  write_bytes(folder + "/program.txt", text);
  for (const std::string compiler :
       {HEED_C_COMPILER " -std=c11 -pedantic -x c", HEED_CXX_COMPILER " -std=c++20 -pedantic -x c++"}) {
    const std::string line = in_folder + compiler + flags + "program.txt" + object + " -o program && ./program";
    EXPECT_EQ(std::system(line.c_str()), 0) << line;
  }
}

/// What a compiler for a big-endian CPU, which this machine's is told to be one, says against a header in the folder.
inline std::string big_endian_errors(const std::string& folder, const std::string& header) {
  const std::string line = "cd '" + folder + "' && " HEED_C_COMPILER " -E -x c -I '" HEED_SOURCE_DIR "/include' " +
                           "-U__BYTE_ORDER__ -D__BYTE_ORDER__=__ORDER_BIG_ENDIAN__ " + header +
                           " 2>&1 > big_endian.i | grep 'error' > big_endian.txt";
  static_cast<void>(std::system(line.c_str()));
  EXPECT_NE(read_bytes(folder + "/big_endian.i"), "") << line;
  return read_bytes(folder + "/big_endian.txt");
}

}  // namespace heed::test
