// SPDX-License-Identifier: MIT
#include "formats/safetensors.hpp"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "formats/json_text.hpp"
#include "support/failure.hpp"

namespace heed::tools {

namespace {

constexpr std::uint64_t length_bytes = 8;

/// Null of a type that this command does not read.
const NumberFormat* format_of(std::string_view type) {
  for (const NumberFormat* format : {&float32_numbers, &float16_numbers, &bfloat16_numbers, &float64_numbers}) {
    if (type == format->name) return format;
  }
  return nullptr;
}

/// What begins as another format of weights does, in words; null if it does not.
const char* other_format(std::string_view bytes) {
  if (bytes.size() > length_bytes && bytes[length_bytes] == '{') return nullptr;
  if (bytes.starts_with("GGUF")) return "a GGUF file";
  if (bytes.starts_with("PK\x03\x04")) return "a zip archive, as PyTorch's .pt, .pth and .bin are, or .npz";
  if (bytes.starts_with("HEEM") || bytes.starts_with("HEED")) return "what `heed pack` has written";
  if (bytes.starts_with("version https://git-lfs")) return "a pointer of Git LFS, whose file has not been fetched";
  if (bytes.size() >= length_bytes && bytes[0] == '{' && bytes[length_bytes - 1] != 0) {
    return "a text, such as the index of a model in several files";
  }
  if (bytes.starts_with("\x89HDF")) return "an HDF5 file";
  if (bytes.starts_with("\x93NUMPY")) return "a single .npy file";
  if (bytes.size() >= 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5)
    return "a pickle, as old .pt files are";
  return nullptr;
}

nlohmann::json parse_header(std::string_view bytes, const std::string& name, std::uint64_t& data_begin) {
  if (const char* const other = other_format(bytes); other != nullptr) {
    throw Failure(name + ": this is " + other + "; a safetensors file is needed, or a folder of .npy files");
  }
  if (bytes.size() < length_bytes) throw Failure(name + ": too short for a safetensors file");
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), length_bytes);
  if (length > bytes.size() - length_bytes) {
    throw Failure(name + ": the header is said to be " + std::to_string(length) + " bytes long, but the file has " +
                  std::to_string(bytes.size() - length_bytes));
  }
  data_begin = length_bytes + length;
  const std::string_view text = bytes.substr(length_bytes, length);
  nlohmann::json header = parse_json(text, name + ": the safetensors header");
  if (!text.starts_with('{') || !header.is_object()) {
    throw Failure(name + ": the safetensors header is not a JSON object");
  }
  return header;
}

std::uint64_t unsigned_number(const nlohmann::json& value, const std::string& where) {
  if (!value.is_number_unsigned()) throw Failure(where + ": the header has something else where a size must be");
  return value.get<std::uint64_t>();
}

void require_texts(const nlohmann::json& metadata, const std::string& where) {
  if (metadata.is_null()) return;  // as some writers have it where there is none
  const bool texts = metadata.is_object() && std::all_of(metadata.begin(), metadata.end(),
                                                         [](const nlohmann::json& value) { return value.is_string(); });
  if (!texts) throw Failure(where + ": the header has something else where names and texts must be");
}

}  // namespace

Safetensors::Safetensors(std::string name, std::string_view bytes) : name_(std::move(name)), bytes_(bytes) {
  const nlohmann::json header = parse_header(bytes_, name_, data_begin_);
  const std::uint64_t data_bytes = bytes_.size() - data_begin_;
  for (const auto& [tensor, fields] : header.items()) {
    if (tensor == "__metadata__") {
      require_texts(fields, name_ + ": " + tensor);
      continue;
    }
    const std::string where = name_ + ": tensor " + tensor;
    if (!fields.is_object() || !fields.contains("dtype") || !fields.contains("shape") ||
        !fields.contains("data_offsets") || !fields["dtype"].is_string() || !fields["shape"].is_array() ||
        !fields["data_offsets"].is_array() || fields["data_offsets"].size() != 2) {
      throw Failure(where + ": dtype, shape or data_offsets is missing or of the wrong kind");
    }
    Entry entry;
    entry.type = fields["dtype"].get<std::string>();
    for (const nlohmann::json& size : fields["shape"]) entry.shape.push_back(unsigned_number(size, where));
    entry.begin = unsigned_number(fields["data_offsets"][0], where);
    entry.end = unsigned_number(fields["data_offsets"][1], where);
    if (entry.begin > entry.end || entry.end > data_bytes) {
      throw Failure(where + ": offsets " + std::to_string(entry.begin) + ".." + std::to_string(entry.end) +
                    " lie outside the " + std::to_string(data_bytes) + " bytes of data");
    }
    const NumberFormat* const format = format_of(entry.type);
    if (format != nullptr && claimed_bytes(entry.shape, format->bytes, where) != entry.end - entry.begin) {
      throw Failure(where + ": shape " + describe(entry.shape) + " of " + entry.type + " does not fill the " +
                    std::to_string(entry.end - entry.begin) + " bytes between its offsets");
    }
    entries_.emplace(tensor, std::move(entry));
  }
  require_no_gaps(data_bytes);
}

void Safetensors::require_no_gaps(std::uint64_t data_bytes) const {
  using Named = std::map<std::string, Entry>::value_type;
  std::vector<const Named*> order;
  for (const Named& named : entries_) order.push_back(&named);
  std::sort(order.begin(), order.end(), [](const Named* left, const Named* right) {
    return std::pair(left->second.begin, left->second.end) < std::pair(right->second.begin, right->second.end);
  });
  std::uint64_t end = 0;
  std::string before;
  for (const Named* named : order) {
    const auto& [tensor, entry] = *named;
    if (entry.begin < end) throw Failure(name_ + ": the data of tensors " + before + " and " + tensor + " overlap");
    if (entry.begin > end) {
      throw Failure(name_ + ": tensor " + tensor + ": the data before it, " + std::to_string(end) + ".." +
                    std::to_string(entry.begin) + ", belongs to no tensor");
    }
    end = entry.end;
    before = tensor;
  }
  if (end != data_bytes) {
    throw Failure(name_ + ": the last " + std::to_string(data_bytes - end) + " bytes of data belong to no tensor");
  }
}

void Safetensors::rename_norms() {
  constexpr std::pair<const char*, const char*> pairs[] = {{"LayerNorm.gamma", "LayerNorm.weight"},
                                                           {"LayerNorm.beta", "LayerNorm.bias"}};
  for (const auto& [older, newer] : pairs) {
    for (const std::string& tensor : names()) {
      if (!tensor.ends_with(older)) continue;
      const std::string renamed = tensor.substr(0, tensor.size() - std::strlen(older)) + newer;
      if (has(renamed)) throw Failure(name_ + ": tensor " + tensor + ": " + renamed + " is there, too");
      auto node = entries_.extract(tensor);
      node.key() = renamed;
      entries_.insert(std::move(node));
    }
  }
}

std::vector<std::string> Safetensors::names() const {
  std::vector<std::string> names;
  for (const auto& [tensor, entry] : entries_) names.push_back(tensor);
  return names;
}

const Safetensors::Entry& Safetensors::entry(const std::string& tensor) const {
  const auto found = entries_.find(tensor);
  if (found == entries_.end()) throw Failure(name_ + ": there is no tensor " + tensor);
  return found->second;
}

StoredNumbers Safetensors::stored(const std::string& tensor) const {
  const Entry& entry = this->entry(tensor);
  const NumberFormat* const format = format_of(entry.type);
  if (format == nullptr) {
    throw Failure(name_ + ": tensor " + tensor + ": element type " + entry.type + " is not supported");
  }
  return {format, entry.shape, bytes_.substr(data_begin_ + entry.begin, entry.end - entry.begin)};
}

}  // namespace heed::tools
