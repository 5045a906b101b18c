// SPDX-License-Identifier: MIT
#include "tensors/tensor_reader.hpp"

#include <algorithm>

#include "formats/gguf_numbers.hpp"
#include "support/data_types.hpp"
#include "support/failure.hpp"
#include "tensors/family_match.hpp"
#include "tensors/weight_checks.hpp"

namespace heed::tools {

namespace {

std::string matrix_kind(const std::string& role) {
  if (role == "input") return "embedding table";
  return role == "head" ? role : "blocks";
}

/// Whether a format of weights takes the numbers of a file as they are.
bool keeps_groups(const LinearPlan& plan, const NumberFormat& format) {
  const bool type =
      plan.type == DataType::int8_groups || (plan.type == DataType::int4_groups && &format == &q4_0_numbers);
  return type && is_grouped(format);
}

}  // namespace

std::string TensorReader::find(const std::string& role, std::uint32_t block, const Shape& shape) {
  const ModelNames::Name* const name = names_.find(role);
  if (name == nullptr) throw Failure(file_.name() + ": no name is known for the tensor `" + role + "` of the model");
  const std::string tensor = with_block(name->pattern, block);
  const Shape stored = file_.shape(tensor);
  Shape needed = shape;
  if (name->transposed) std::reverse(needed.begin(), needed.end());
  if (!matches(role, stored, needed)) {
    throw Failure(
        file_.name() + ": tensor " + tensor + " " + describe(stored) + ": " + describe(needed) + " is needed for `" +
        role + "`" +
        (name->skipped_rows == 0 ? "" : ", of which positions begin at row " + std::to_string(name->skipped_rows)));
  }
  used_.insert(tensor);
  if (!name->row_scale.empty()) static_cast<void>(row_scales(*name, block, shape.front()));
  return tensor;
}

/// What multiplies each row of a tensor; nothing if it is as it is.
std::vector<float> TensorReader::row_scales(const ModelNames::Name& name, std::uint32_t block, std::size_t rows) {
  if (name.row_scale.empty()) return {};
  const std::string tensor = with_block(name.row_scale, block);
  FloatArray scales = file_.read(tensor);
  if (scales.shape != Shape{rows}) {
    throw Failure(file_.name() + ": tensor " + tensor + " " + describe(scales.shape) + ": " + describe(Shape{rows}) +
                  " is needed");
  }
  require_storable(scales, DataType::float32, file_.name() + ": tensor " + tensor);
  used_.insert(tensor);
  return std::move(scales.values);
}

void TensorReader::see(const std::string& role, std::uint32_t block, const Shape& shape, DataType type,
                       const SeePlaced& see) {
  const std::string tensor = find(role, block, shape);
  const ModelNames::Name& name = *names_.find(role);
  const TensorPlaces places(config_, shape, name.transposed, name.order);
  const QueryScale& scale = names_.query_scale();
  const TensorFold of_queries{.scale = scale.by_block ? scale.scale / (block + 1.0) : scale.scale};
  const bool scaled = of_queries.scale != 1.0 && begins_with_queries(role);
  const std::vector<float> scales = row_scales(name, block, shape.front());
  const std::size_t columns = shape.size() == 2 ? shape.back() : 1;
  const std::size_t queries = std::size_t{config_.heads} * config_.head_dim * columns;
  FloatArray part{file_.shape(tensor), {}};
  file_.read(tensor, [&](std::size_t first, std::span<const float> numbers) {
    part.values.assign(numbers.begin(), numbers.end());
    apply_fold(name.fold, part.values);
    for (std::size_t i = 0; scaled && i < numbers.size(); ++i) {
      if (places(first + i) < queries) apply_fold(of_queries, std::span(part.values).subspan(i, 1));
    }
    if (!scales.empty()) scale_rows(places, columns, first, scales, part.values);
    require_storable(part, type, file_.name() + ": tensor " + tensor, first);
    see(places, first, part.values);
  });
}

std::vector<float> TensorReader::take(const std::string& role, std::uint32_t block, const Shape& shape, DataType type) {
  if (!reads_) {
    static_cast<void>(find(role, block, shape));
    return {};
  }
  std::vector<float> values(byte_count(shape, 1, role));
  see(role, block, shape, type, [&](const TensorPlaces& places, std::size_t first, std::span<const float> numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) values[places(first + i)] = numbers[i];
  });
  return values;
}

/// Whether the numbers that a file has quantized go into the model as they are: a Failure if they would not, and may
/// not be rounded.
bool TensorReader::are_kept(const std::string& role, const std::string& tensor, const LinearPlan& plan) const {
  const StoredNumbers stored = file_.stored(tensor);
  if (stored.format == nullptr || stored.format->numbers == 1 || plan.type == DataType::float32) return false;
  const ModelNames::Name& name = *names_.find(role);
  const QueryScale& queries = names_.query_scale();
  const bool scaled = (queries.scale != 1.0 || queries.by_block) && begins_with_queries(role);
  const bool plain =
      !name.transposed && !scaled && name.row_scale.empty() && name.fold.added == 0.0 && name.fold.scale == 1.0;
  if (plain && keeps_groups(plan, *stored.format)) return true;
  if (errors_ != nullptr) return false;
  throw Failure(file_.name() + ": tensor " + tensor + " is " + stored.format->name + ", which would be rounded to " +
                to_word(plan.type) + ": --requantize TYPE allows that");
}

/// Integers and scales are the file's; a Failure if one of the numbers that they stand for is none.
void TensorReader::take_groups(const std::string& role, const std::string& tensor, const Shape& shape,
                               MatrixNumbers& numbers) const {
  const StoredNumbers stored = file_.stored(tensor);
  const std::size_t row_blocks = shape[1] / stored.format->numbers;
  const TensorPlaces places(config_, shape, false, names_.find(role)->order);
  numbers.integers.resize(shape[0] * shape[1]);
  numbers.scales.resize(shape[0] * row_blocks);
  FloatArray row{shape, std::vector<float>(shape[1])};
  for (std::size_t i = 0; i < shape[0]; ++i) {
    const std::string_view data =
        stored.data.substr(i * row_blocks * stored.format->bytes, row_blocks * stored.format->bytes);
    const std::size_t to = places.row(i) * row_blocks;
    for (std::size_t block = 0; block < row_blocks; ++block) {
      const char* const from = data.data() + block * stored.format->bytes;
      const std::size_t first = block * stored.format->numbers;
      stored.format->decode(from, row.values.data() + first);
      numbers.scales[to + block] =
          read_group(*stored.format, from, numbers.integers.data() + places.row(i) * shape[1] + first);
    }
    require_storable(row, DataType::float32, file_.name() + ": tensor " + tensor, i * shape[1]);
    if (const MappedFile* const content = file_.content(tensor); content != nullptr) content->release(data);
  }
}

MatrixNumbers TensorReader::take_matrix(const std::string& role, std::uint32_t block, const Shape& shape,
                                        const LinearPlan& plan) {
  MatrixNumbers numbers;
  const std::string tensor = find(role, block, shape);
  const bool kept = are_kept(role, tensor, plan);
  if (!reads_) return numbers;
  if (kept) {
    take_groups(role, tensor, shape, numbers);
    return numbers;
  }
  numbers.floats = take(role, block, shape, plan.type);
  require_kept(numbers.floats, plan.inputs, plan.type, file_.name() + ": tensor " + tensor);
  const NumberFormat* const format = file_.stored(tensor).format;
  const bool rounded = format != nullptr && format->numbers > 1 && plan.type != DataType::float32;
  if (rounded) errors_->add(matrix_kind(role), plan, numbers.floats);
  return numbers;
}

bool TensorReader::has(const std::string& role, std::uint32_t block) const {
  const ModelNames::Name* const name = names_.find(role);
  if (name == nullptr) return false;
  if (name->required) return true;
  const bool first = file_.has(with_block(name->pattern, 0));
  const std::string tensor = with_block(name->pattern, block);
  if (file_.has(tensor) != first) {
    throw Failure(file_.name() + ": tensor " + tensor + " is " + (first ? "missing" : "there") +
                  ", other than that of block 0");
  }
  return first;
}

std::vector<std::string> TensorReader::unused(std::uint32_t blocks, bool allowed, const std::string& json) {
  constexpr std::size_t shown = 6;
  std::vector<std::string> skipped;
  for (const std::string& buffer : names_.buffers()) {
    for (std::uint32_t block = 0; block < blocks; ++block) {
      const std::string tensor = with_block(buffer, block);
      if (file_.has(tensor) && used_.insert(tensor).second) skipped.push_back(tensor);
    }
  }
  std::vector<std::string> unused;
  for (const std::string& tensor : file_.names()) {
    if (!used_.contains(tensor) && !names_.is_of_another_part(tensor)) unused.push_back(tensor);
  }
  if (unused.empty() || allowed) {
    skipped.insert(skipped.end(), unused.begin(), unused.end());
    return skipped;
  }
  std::string text = file_.name() + ": the model of " + json + " does not use";
  for (std::size_t i = 0; i < unused.size() && i < shown; ++i) text += (i == 0 ? " " : ", ") + unused[i];
  if (unused.size() > shown) text += " and " + std::to_string(unused.size() - shown) + " more";
  throw Failure(text + " (--allow-unused leaves them out)");
}

}  // namespace heed::tools
