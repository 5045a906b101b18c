// SPDX-License-Identifier: MIT
#include "formats/stored_numbers.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "formats/half_floats.hpp"

namespace heed::tools {

namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie in the file");

template <class Element>
Element element_at(const char* from) {
  Element element;
  std::memcpy(&element, from, sizeof element);
  return element;
}

void decode_float64(const char* from, float* to) {
  *to = static_cast<float>(element_at<double>(from));
}
void decode_float32(const char* from, float* to) {
  *to = element_at<float>(from);
}
void decode_float16(const char* from, float* to) {
  *to = from_float16(element_at<std::uint16_t>(from));
}
void decode_bfloat16(const char* from, float* to) {
  *to = from_bfloat16(element_at<std::uint16_t>(from));
}

}  // namespace

const NumberFormat float64_numbers{"F64", 1, 8, decode_float64};
const NumberFormat float32_numbers{"F32", 1, 4, decode_float32};
const NumberFormat float16_numbers{"F16", 1, 2, decode_float16};
const NumberFormat bfloat16_numbers{"BF16", 1, 2, decode_bfloat16};

void read_numbers(const StoredNumbers& stored, const MappedFile* file, const SeeNumbers& see) {
  constexpr std::size_t at_once = std::size_t{1} << 16;
  const NumberFormat& format = *stored.format;
  const std::size_t blocks = stored.data.size() / format.bytes;
  const std::size_t most = std::min(blocks, at_once / format.numbers);
  std::vector<float> numbers(most * format.numbers);
  for (std::size_t first = 0; first < blocks; first += most) {
    const std::size_t count = std::min(most, blocks - first);
    const std::string_view part = stored.data.substr(first * format.bytes, count * format.bytes);
    for (std::size_t i = 0; i < count; ++i) {
      format.decode(part.data() + i * format.bytes, numbers.data() + i * format.numbers);
    }
    if (file != nullptr) file->release(part);
    see(first * format.numbers, std::span(numbers).first(count * format.numbers));
  }
}

FloatArray read_numbers(const StoredNumbers& stored, const MappedFile* file) {
  FloatArray array{stored.shape,
                   std::vector<float>(stored.data.size() / stored.format->bytes * stored.format->numbers)};
  read_numbers(stored, file, [&](std::size_t first, std::span<const float> numbers) {
    std::copy(numbers.begin(), numbers.end(), array.values.begin() + static_cast<std::ptrdiff_t>(first));
  });
  return array;
}

}  // namespace heed::tools
