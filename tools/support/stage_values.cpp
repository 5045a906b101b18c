// SPDX-License-Identifier: MIT
#include "support/stage_values.hpp"

#include <charconv>
#include <cstddef>

#include "formats/safetensors.hpp"
#include "support/failure.hpp"

namespace heed::tools {

namespace {

constexpr std::size_t most_stage_bytes = std::size_t{1} << 30;
constexpr std::size_t number_digits = 8;
constexpr std::size_t most_stages = 99'999'999;

/// With zeros in front, so that the order of names is that of stages.
std::string stage_number(std::size_t number) {
  const std::string digits = std::to_string(number);
  return std::string(number_digits - digits.size(), '0') + digits;
}

/// The block in <number>.<block>.<stage>.
StageArray parse_stage_name(const std::string& tensor, std::size_t number, const std::string& where) {
  const std::string begin = stage_number(number) + ".";
  if (!tensor.starts_with(begin)) {
    throw Failure(where + ": stage " + std::to_string(number) + " is `" + begin + "<block>.<stage>`");
  }
  StageArray stage;
  const char* const end = tensor.data() + tensor.size();
  const auto [rest, error] = std::from_chars(tensor.data() + begin.size(), end, stage.block);
  if (error != std::errc{} || rest == end || *rest != '.') throw Failure(where + ": there is no block of 32 bits");
  stage.stage.assign(rest + 1, end);
  if (!is_stage(stage.stage)) throw Failure(where + ": there is no stage " + stage.stage);
  return stage;
}

}  // namespace

void StageValues::add(std::uint32_t block, Stage stage, const float* values, std::uint32_t rows,
                      std::uint32_t columns) {
  const std::size_t bytes = std::size_t{rows} * columns * sizeof(float);
  if (!beyond_.empty()) return;
  if (bytes > most_stage_bytes - tensors_.data_bytes() || count_ == most_stages) {
    beyond_ = "stage " + std::to_string(count_) + ", block " + std::to_string(block) + ", " + to_string(stage);
    return;
  }
  tensors_.add(stage_number(count_) + "." + std::to_string(block) + "." + to_string(stage), {rows, columns}, values);
  ++count_;
}

std::string StageValues::take_bytes(const std::string& what) {
  if (!beyond_.empty()) {
    throw Failure(what + ": the values from " + beyond_ + " on exceed 1 GiB; fewer rows or tokens are needed");
  }
  return tensors_.take_bytes();
}

bool holds_stage_values(std::string_view bytes) {
  // The length's upper bytes: no text has zeros.
  return bytes.size() > 8 && bytes[8] == '{' && bytes.substr(5, 3) == std::string_view("\0\0\0", 3);
}

std::vector<StageArray> parse_stage_values(std::string_view bytes, const std::string& name) {
  const Safetensors file(name, bytes);
  std::vector<StageArray> stages;
  for (const std::string& tensor : file.names()) {
    const std::string where = name + ": tensor " + tensor;
    StageArray stage = parse_stage_name(tensor, stages.size(), where);
    const StoredNumbers stored = file.stored(tensor);
    if (stored.format != &float32_numbers) throw Failure(where + ": F32 is needed");
    if (stored.shape.size() != 2) throw Failure(where + ": [rows, columns] is needed, not " + describe(stored.shape));
    stage.array = read_numbers(stored, nullptr);
    stages.push_back(std::move(stage));
  }
  if (stages.empty()) throw Failure(name + ": there are no stages");
  return stages;
}

std::vector<StageHash> to_hashes(const std::vector<StageArray>& stages) {
  std::vector<StageHash> hashes;
  for (const StageArray& stage : stages) {
    const std::vector<float>& values = stage.array.values;
    hashes.push_back({stage.block, stage.stage, hash_of(values.data(), values.size())});
  }
  return hashes;
}

}  // namespace heed::tools
