// SPDX-License-Identifier: MIT
#include "formats/safetensors_writer.hpp"

#include <bit>
#include <utility>

namespace heed::tools {

static_assert(std::endian::native == std::endian::little, "the file has the bytes of the floats as they are");

void SafetensorsWriter::add(const std::string& name, const Shape& shape, const float* values) {
  std::string sizes;
  std::size_t bytes = sizeof(float);
  for (const std::size_t size : shape) {
    sizes += (sizes.empty() ? "" : ",") + std::to_string(size);
    bytes *= size;
  }
  const std::string offsets = std::to_string(data_.size()) + "," + std::to_string(data_.size() + bytes);
  entries_ += (entries_.empty() ? "{\"" : ",\"") + name + R"(":{"dtype":"F32","shape":[)" + sizes +
              R"(],"data_offsets":[)" + offsets + "]}";
  data_.append(reinterpret_cast<const char*>(values), bytes);
}

std::string SafetensorsWriter::take_bytes() {
  std::string header = entries_.empty() ? "{}" : entries_ + "}";
  header.append((8 - header.size() % 8) % 8, ' ');
  std::string length;
  for (std::size_t i = 0; i < 8; ++i) length += static_cast<char>(header.size() >> 8 * i & 0xFFU);
  data_.insert(0, length + header);
  entries_.clear();
  return std::exchange(data_, {});
}

}  // namespace heed::tools
