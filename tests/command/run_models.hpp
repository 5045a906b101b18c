// SPDX-License-Identifier: MIT
//
// Commands that read a model file, which the library packs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "command/model_files.hpp"

namespace heed::test {

using nlohmann::json;

class HeedRun : public CommandTest {
 protected:
  /// The file of a model, by way of the library.
  void write_model(const std::string& name, const TinyModel& model) const {
    AlignedMemory file = model.file();
    const std::span<const std::byte> bytes = file.span();
    write_bytes(path(name), {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }

  [[nodiscard]] json parsed(const std::string& arguments) const {
    const Ended ended = run(arguments);
    EXPECT_EQ(ended.code, 0) << arguments << '\n' << ended.error;
    return json::parse(ended.out, nullptr, false);
  }

  Random random_{11};
};

}  // namespace heed::test
