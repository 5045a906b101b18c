// SPDX-License-Identifier: MIT
//
// Lists of stages: JSON, and what a board prints.
#include "fuzz/refused.hpp"
#include "support/stage_hashes.hpp"

namespace heed::test::fuzz {

Corpus corpus() {
  return {{R"({"stages":[{"block":0,"stage":"embedding","hash":"0123456789abcdef"},)"
           R"({"block":1,"stage":"mlp","hash":"0x0123456789abcdef"}]})",
           "booted\r\nstage 0 embedding 0123456789abcdef\nstage 12 cross-attention fedcba9876543210\n"},
          {"stage ", "\nstage 1 mlp 0123456789abcdef\n", "output", "attention", "[", "]", "{", "}", ",", "null", "\""}};
}

bool run(std::span<const std::byte> bytes) {
  const std::string name = "stages.json";
  return accepts({name}, [&] {
    require(!tools::parse_stages(std::string(text_of(bytes)), name).empty(), "an accepted list has stages");
  });
}

}  // namespace heed::test::fuzz
