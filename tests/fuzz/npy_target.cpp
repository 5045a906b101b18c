// SPDX-License-Identifier: MIT
//
// Arrays of NumPy: the bytes as they are, and with the length that their header seems to have.
#include <vector>

#include "formats/npy.hpp"
#include "fuzz/refused.hpp"

namespace heed::test::fuzz {
namespace {

const std::string name = "x.npy";

template <class Array, class Values>
void require_full(const Array& array, const Values& values) {
  require(tools::byte_count(array.shape, 1, name) == values.size(), "an array fills its shape");
}

bool read(std::string_view bytes) {
  const bool floats = accepts({name}, [&] {
    const tools::FloatArray array = tools::read_npy(bytes, name);
    require_full(array, array.values);
  });
  const bool mask = accepts({name}, [&] {
    const tools::NpyMask array = tools::read_npy_mask(bytes, name);
    if (array.is_bool) require_full(array, array.truth);
    if (!array.is_bool) require_full(array, array.added);
  });
  const bool integers = accepts({name}, [&] {
    const tools::IntegerArray array = tools::read_npy_integers(bytes, name);
    require_full(array, array.values);
  });
  require(!floats || mask, "floats can be a mask");
  require(!floats || !integers, "floats are no integers");
  return floats || mask || integers;
}

std::string npy_file(const std::string& type, const std::string& order, const std::string& shape, std::size_t bytes) {
  const std::string header = "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': (" + shape + "), }\n";
  return std::string("\x93NUMPY\1\0", 8) + static_cast<char>(header.size()) + '\0' + header + std::string(bytes, '\1');
}

}  // namespace

Corpus corpus() {
  return {{npy_file("<f4", "False", "2, 3", 24), npy_file("<f8", "True", "3, 1", 24), npy_file("<f2", "True", "2,2", 8),
           npy_file("<V2", "False", "", 2), npy_file("|b1", "True", "2,1,2", 4), npy_file("<i4", "False", "3,", 12),
           npy_file("<i8", "True", "0,5", 0)},
          {"<f2", "<f4", "<f8", "<i4", "<i8", "|b1", "|u1", "<V2", ">f4", "True", "False", ", 1", "0, ", "'shape': ("}};
}

bool run(std::span<const std::byte> bytes) {
  const std::string_view text = text_of(bytes);
  if (read(text)) return true;
  constexpr std::size_t begin = 10;
  const std::size_t end = text.find('}');
  if (end == text.npos || end < begin) return false;
  std::vector<char> changed(text.begin(), text.end());
  const std::size_t length = end + 1 - begin;
  changed[6] = 1;
  changed[8] = static_cast<char>(length & 0xFF);
  changed[9] = static_cast<char>(length >> 8);
  return read({changed.data(), changed.size()});
}

}  // namespace heed::test::fuzz
