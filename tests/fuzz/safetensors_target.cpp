// SPDX-License-Identifier: MIT
//
// Safetensors files: the bytes as they are, and with the length that their header seems to have.
#include <cstdint>
#include <cstring>

#include "formats/safetensors.hpp"
#include "fuzz/refused.hpp"
#include "fuzz/stored_tensors.hpp"

namespace heed::test::fuzz {
namespace {

const std::string name = "w.safetensors";

bool read(std::string_view bytes) {
  return accepts({name}, [&] {
    const tools::Safetensors file(name, bytes);
    for (const std::string& tensor : file.names()) {
      require(file.has(tensor), "a name is that of a tensor");
      accepts({name + ": tensor " + tensor}, [&] {
        const tools::FloatArray array = read_numbers(file.stored(tensor), nullptr);
        require(tools::byte_count(array.shape, 1, tensor) == array.values.size(), "a tensor fills its shape");
      });
    }
    require(!accepts({name}, [&] { static_cast<void>(file.stored("no such tensor")); }), "a missing tensor is refused");
  });
}

}  // namespace

Corpus corpus() {
  const std::vector<StoredTensor> tensors{{"a", {2, 1}, std::string(8, '\1')},
                                          {"b", {3}, std::string(6, '\x7C'), "BF16"},
                                          {"c", {1}, std::string(2, '\x3C'), "F16"},
                                          {"d", {2}, std::string(16, '\x40'), "F64"},
                                          {"e", {0, 7}, "", "I64"}};
  return {{safetensors_file({}), safetensors_file(tensors)},
          {R"("__metadata__":{"format":"pt"},)", R"("a":{"dtype":"F32","shape":[],"data_offsets":[0,4]},)", "[", "{",
           "]", "}", ",", "\"", "null", "-1", "\\u0061", "F64", "BF16", "[[[[[[[["}};
}

bool run(std::span<const std::byte> bytes) {
  const std::string_view text = text_of(bytes);
  if (read(text)) return true;
  std::uint64_t length = 0;
  const std::size_t end = text.rfind('}');
  if (end == text.npos || end < sizeof length) return false;
  // A copy of just the size, whose end the sanitizer knows.
  std::vector<char> changed(text.begin(), text.end());
  length = end + 1 - sizeof length;
  std::memcpy(changed.data(), &length, sizeof length);
  return read({changed.data(), changed.size()});
}

}  // namespace heed::test::fuzz
