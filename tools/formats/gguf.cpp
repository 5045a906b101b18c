// SPDX-License-Identifier: MIT
#include "formats/gguf.hpp"

#include <algorithm>
#include <limits>

#include "formats/gguf_numbers.hpp"
#include "support/failure.hpp"

namespace heed::tools {

namespace {

constexpr std::string_view gguf_magic = "GGUF";
constexpr std::uint32_t most_dimensions = 4;
constexpr std::uint64_t default_alignment = 32;

/// Of no meaning for the numbers of a model.
bool is_kept(const std::string& key) {
  if (key == "general.architecture" || key == "general.type" || key == "general.alignment") return true;
  return !key.starts_with("general.") && !key.starts_with("tokenizer.");
}

struct TensorHead {
  std::string name;
  Shape shape;
  const NumberFormat* format = nullptr;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

const NumberFormat& take_format(GgufCursor& cursor, const std::string& what) {
  const auto number = cursor.number<std::uint32_t>(what + ", type");
  const GgufType* const type = gguf_type(number);
  if (type != nullptr && type->format != nullptr) return *type->format;
  throw cursor.refused(what, "type " + (type == nullptr ? std::to_string(number) : std::string(type->name)) +
                                 " is not supported; " + supported_gguf_types() + " are");
}

TensorHead take_tensor(GgufCursor& cursor, std::uint64_t alignment, std::uint64_t index) {
  TensorHead tensor;
  tensor.name = cursor.word("name of tensor " + std::to_string(index));
  const std::string what = "tensor " + tensor.name;
  const auto dimensions = cursor.number<std::uint32_t>(what + ", number of dimensions");
  if (dimensions == 0 || dimensions > most_dimensions) {
    throw cursor.refused(what, std::to_string(dimensions) + " dimensions, and 1 to 4 are supported");
  }
  for (std::uint32_t i = 0; i < dimensions; ++i) {
    const auto size = cursor.number<std::uint64_t>(what + ", shape");
    if (size == 0) throw cursor.refused(what + ", shape", "a dimension is 0");
    tensor.shape.insert(tensor.shape.begin(), size);
  }
  tensor.format = &take_format(cursor, what);
  const std::uint64_t numbers = byte_count(tensor.shape, 1, cursor.full(what));
  if (tensor.shape.back() % tensor.format->numbers != 0) {
    throw cursor.refused(what + ", shape", "rows of " + std::to_string(tensor.shape.back()) + " are no blocks of " +
                                               tensor.format->name + ", which have " +
                                               std::to_string(tensor.format->numbers));
  }
  const std::uint64_t blocks = numbers / tensor.format->numbers;
  if (blocks > std::numeric_limits<std::uint64_t>::max() / tensor.format->bytes) {
    throw cursor.refused(what, "its shape " + describe(tensor.shape) + " is too large");
  }
  tensor.bytes = blocks * tensor.format->bytes;
  tensor.offset = cursor.number<std::uint64_t>(what + ", offset");
  if (tensor.offset % alignment != 0) {
    throw cursor.refused(what + ", offset",
                         std::to_string(tensor.offset) + " is no multiple of " + std::to_string(alignment));
  }
  return tensor;
}

std::uint64_t take_alignment(const GgufCursor& cursor, nlohmann::json& metadata) {
  const std::string key = "general.alignment";
  const auto found = metadata.find(key);
  if (found == metadata.end()) return default_alignment;
  const bool good = found->is_number_unsigned() && found->get<std::uint64_t>() % 8 == 0 &&
                    found->get<std::uint64_t>() != 0 && found->get<std::uint64_t>() <= 65536;
  if (!good) throw cursor.refused(key, found->dump() + " is no multiple of 8 up to 65536");
  const auto alignment = found->get<std::uint64_t>();
  metadata.erase(found);
  return alignment;
}

/// The data begins on a boundary after the heads; what lies between tensors is less than the alignment.
void require_layout(const GgufCursor& cursor, std::vector<TensorHead> tensors, std::uint64_t data_bytes,
                    std::uint64_t alignment) {
  std::sort(tensors.begin(), tensors.end(),
            [](const TensorHead& left, const TensorHead& right) { return left.offset < right.offset; });
  std::uint64_t end = 0;
  for (const TensorHead& tensor : tensors) {
    const std::string what = "tensor " + tensor.name + ", offset";
    if (tensor.offset < end) {
      throw cursor.refused(what, std::to_string(tensor.offset) + " lies in the data of another tensor, which ends at " +
                                     std::to_string(end));
    }
    if (tensor.offset - end >= alignment) {
      throw cursor.refused(what, "the data before it, from " + std::to_string(end) + " to " +
                                     std::to_string(tensor.offset) + ", belongs to no tensor");
    }
    if (tensor.offset > data_bytes || tensor.bytes > data_bytes - tensor.offset) {
      throw cursor.refused(what, std::to_string(tensor.bytes) + " bytes from " + std::to_string(tensor.offset) +
                                     " on are outside the " + std::to_string(data_bytes) + " bytes of data");
    }
    end = tensor.offset + tensor.bytes;
  }
  if (data_bytes - end >= alignment) {
    throw cursor.refused("data", "the last " + std::to_string(data_bytes - end) + " bytes belong to no tensor");
  }
}

void take_metadata(GgufCursor& cursor, std::string_view bytes, std::uint64_t count, nlohmann::json& metadata,
                   std::map<std::string, GgufValue>& others) {
  std::map<std::string, bool> keys;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string key = cursor.word("key " + std::to_string(i));
    if (!keys.emplace(key, true).second) throw cursor.refused(key, "this key is there twice");
    const auto type = cursor.number<std::uint32_t>(key + ", type");
    const bool kept = is_kept(key);
    const std::uint64_t begin = cursor.position();
    nlohmann::json value = take_gguf_value(cursor, type, kept, key);
    if (kept) metadata[key] = std::move(value);
    if (!kept) others[key] = {type, bytes.substr(begin, cursor.position() - begin)};
  }
}

}  // namespace

bool begins_as_gguf(std::string_view bytes) {
  return bytes.starts_with(gguf_magic);
}

Gguf::Gguf(std::string name, std::string_view bytes) : name_(std::move(name)) {
  GgufCursor cursor(name_, bytes);
  if (cursor.take(gguf_magic.size(), "magic") != gguf_magic) throw cursor.refused("magic", "this is no GGUF file");
  const auto version = cursor.number<std::uint32_t>("version");
  if (version != 2 && version != 3) {
    const bool swapped = version == 0x02000000U || version == 0x03000000U;
    throw cursor.refused("version", (swapped ? "numbers of the other byte order" : std::to_string(version)) +
                                        std::string("; versions 2 and 3, little-endian, are supported"));
  }
  const auto tensor_count = cursor.number<std::uint64_t>("number of tensors");
  const auto key_count = cursor.number<std::uint64_t>("number of keys");
  take_metadata(cursor, bytes, key_count, metadata_, others_);
  const std::uint64_t alignment = take_alignment(cursor, metadata_);
  std::vector<TensorHead> heads;
  for (std::uint64_t i = 0; i < tensor_count; ++i) {
    heads.push_back(take_tensor(cursor, alignment, i));
    if (!tensors_.emplace(heads.back().name, StoredNumbers{}).second) {
      throw cursor.refused("tensor " + heads.back().name, "this name is there twice");
    }
  }
  const std::uint64_t data_begin =
      std::min<std::uint64_t>(bytes.size(), (cursor.position() + alignment - 1) / alignment * alignment);
  require_layout(cursor, heads, bytes.size() - data_begin, alignment);
  for (TensorHead& head : heads) {
    tensors_[head.name] = {head.format, std::move(head.shape), bytes.substr(data_begin + head.offset, head.bytes)};
  }
}

std::vector<std::string> Gguf::names() const {
  std::vector<std::string> names;
  for (const auto& [tensor, stored] : tensors_) names.push_back(tensor);
  return names;
}

const StoredNumbers& Gguf::stored(const std::string& tensor) const {
  const auto found = tensors_.find(tensor);
  if (found == tensors_.end()) throw Failure(name_ + ": there is no tensor " + tensor);
  return found->second;
}

}  // namespace heed::tools
