// SPDX-License-Identifier: MIT
#include "tensors/model_writer.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "support/failure.hpp"

namespace heed::tools {

ModelWriter::ModelWriter(const ModelPlan& plan, std::string what)
    : plan_(plan), what_(std::move(what)), file_(plan.file.bytes) {
  std::memset(file_.span().data(), 0, file_.span().size());
}

void ModelWriter::put_floats(const Region& region, std::size_t base, std::span<const float> values) {
  const std::size_t bytes = std::min<std::size_t>(region.bytes, values.size_bytes());
  if (bytes != 0) std::memcpy(part(base + region.offset).data(), values.data(), bytes);
}

void ModelWriter::put_matrix(const LinearPlan& plan, std::size_t base, const float* weight, const float* bias) {
  require_ok(pack_linear(plan, weight, bias, part(base)), what_);
}

void ModelWriter::put_groups(const LinearPlan& plan, std::size_t base, const std::int8_t* integers,
                             const std::uint16_t* scales, const float* bias) {
  require_ok(pack_linear_quantized(plan, integers, scales, bias, part(base)), what_);
}

void ModelWriter::put_multiplied(const LinearPlan& plan, std::size_t base, const std::int8_t* integers,
                                 const std::int8_t* multipliers, const float* scales, const float* bias) {
  require_ok(pack_linear_quantized(plan, integers, multipliers, scales, bias, part(base)), what_);
}

AlignedBytes ModelWriter::finish() {
  require_ok(finish_model(plan_, file_.span()), what_);
  return std::move(file_);
}

}  // namespace heed::tools
