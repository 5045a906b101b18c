// SPDX-License-Identifier: MIT
#include "tensors/packed_layer.hpp"

#include <cstdint>
#include <cstring>

#include "formats/config_members.hpp"
#include "support/data_types.hpp"
#include "support/failure.hpp"
#include "support/planned.hpp"

namespace heed::tools {

namespace {

constexpr std::string_view magic = "HEED";
constexpr std::uint32_t version = 1;

std::uint32_t word_at(std::string_view bytes, std::size_t index) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data() + index * sizeof word, sizeof word);
  return word;
}

}  // namespace

bool begins_as_packed_layer(std::string_view bytes) {
  return bytes.starts_with(magic);
}

PackedLayer::PackedLayer(const std::string& name, std::string_view bytes) : bytes_(aligned_copy(bytes)) {
  if (bytes.size() < arena_alignment || !begins_as_packed_layer(bytes)) {
    throw Failure(name + ": not a layer's packed weights, or not all of them");
  }
  std::size_t next = magic.size() / sizeof(std::uint32_t);
  if (const std::uint32_t found = word_at(bytes, next++); found != version) {
    throw Failure(name + ": packed weights of version " + std::to_string(found) + ", and version " +
                  std::to_string(version) + " is needed");
  }
  MultiHeadConfig config{.max_keys = 1};
  for_each_layer_size(config, [&](const char* member, std::uint32_t& value) {
    value = word_at(bytes, next++);
    if (value == 0) throw Failure(name + ": the header of the packed weights has " + member + " 0");
  });
  const std::uint32_t types = word_at(bytes, next++);
  config.weight_type = static_cast<DataType>(types & 0xFFU);
  // The same bytes for int8 and int16.
  const bool integers = (types & detail::by_integer_rows) != 0;
  const bool mixed = (types & detail::by_mixed_rows) != 0;
  if (integers) config.row_type = DataType::int8;
  if (integers != mixed) config.output_row_type = DataType::int8;
  plan_ = planned<MultiHeadPlan>(name + ": the header of the packed weights", config);
  if (bytes.size() != plan_.weights_bytes) {
    throw Failure(name + ": the file has " + std::to_string(bytes.size()) + " bytes, and its header says " +
                  std::to_string(plan_.weights_bytes));
  }
  for (; next < arena_alignment / sizeof(std::uint32_t); ++next) {
    if (word_at(bytes, next) != 0) throw Failure(name + ": the header of the packed weights is damaged");
  }
}

std::vector<float> PackedLayer::matrix(const LinearPlan& linear) const {
  std::vector<float> values(std::size_t{linear.outputs} * linear.inputs);
  require_ok(unpack_linear(linear, {bytes(), weight_format(linear.type, linear.row_type).format}, values.data()),
             "packed weights");
  return values;
}

std::vector<float> PackedLayer::bias(const LinearPlan& linear) const {
  std::vector<float> values(linear.outputs);
  std::memcpy(values.data(), bytes().data() + linear.bias.offset, values.size() * sizeof(float));
  return values;
}

}  // namespace heed::tools
