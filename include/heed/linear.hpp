// SPDX-License-Identifier: MIT
//
// Linear layers y = x W^T + b whose weights take 32, 16, 8 or 4 bits. Packed once, they stay where they are, in flash
// for example, and are dequantized in the kernels, exactly: the result has the bits of the same layer over the floats
// that unpack_linear() gives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/arena.hpp"
#include "heed/detail/rounded_row.hpp"
#include "heed/format.hpp"
#include "heed/heed_linear.h"
#include "heed/types.hpp"

namespace heed {

struct LinearConfig {
  std::uint32_t inputs = 0;           ///< columns of W, 1..2^30
  std::uint32_t outputs = 0;          ///< rows of W, 1..2^30
  DataType type = DataType::float32;  ///< is_weight_type(type)
  bool bias = true;                   ///< whether there is a b

  /// What the rows of x are rounded to: float32 leaves them as they are; int8 and int16 are products in integers, with
  /// weights of int8, int8_multipliers or int4_multipliers, which takes another packed layout.
  DataType row_type = DataType::float32;
};

namespace detail {

/// Inputs whose weights are dequantized at a time where the rows are many; a multiple of scale_group_size.
inline constexpr std::uint32_t staged_inputs = 64;

[[nodiscard]] constexpr bool has_groups(DataType type) noexcept {
  return type == DataType::int8_groups || type == DataType::int4_groups;
}

[[nodiscard]] constexpr bool has_multipliers(DataType type) noexcept {
  return type == DataType::int8_multipliers || type == DataType::int4_multipliers;
}

/// Inputs that a panel of weights has room for.
[[nodiscard]] constexpr std::uint64_t packed_inputs(DataType row_type, std::uint64_t inputs) noexcept {
  return row_type == DataType::float32 ? inputs : round_up(inputs, 8);
}

/// Rows that are rounded to integers at a time, at most.
inline constexpr std::uint32_t rounded_rows_at_once = 64;

/// Fewest rows that a worker is given as its own, where a plan makes room for those of several workers.
inline constexpr std::uint32_t least_own_rows = 16;

/// For how many workers' own rows there is room, of so many rows: for all of them, or for one.
[[nodiscard]] constexpr std::uint32_t workers_with_rows(std::uint32_t workers, std::uint32_t rows) noexcept {
  return rows / workers >= least_own_rows ? workers : 1;
}

/// Bytes of the scales of one panel.
[[nodiscard]] constexpr std::uint64_t panel_scale_bytes(DataType type, std::uint64_t inputs) noexcept {
  if (type == DataType::int8) return panel_width * sizeof(float);
  if (has_multipliers(type)) {
    return panel_width * (sizeof(float) + (inputs + scale_group_size - 1) / scale_group_size);
  }
  return has_groups(type) ? (inputs + scale_group_size - 1) / scale_group_size * panel_width * sizeof(std::uint16_t)
                          : 0;
}

/// What is wrong with the types of weights and of rows, by the names of their members.
template <class Say>
[[nodiscard]] constexpr Status check_types(const char* member, DataType type, const char* row_member, DataType row_type,
                                           Say say) noexcept {
  if (!is_weight_type(type)) return say(Status::bad_option, member, type, 0, 10, "is not a type of weights");
  if (!is_row_type(row_type)) return say(Status::bad_option, row_member, row_type, 0, 8, "is not a type of rows");
  if (row_type == DataType::float32) {
    return is_float_row_type(type) ? Status::ok
                                   : say(Status::bad_option, row_member, row_type, 0, 8,
                                         "must be int8 or int16 for weights with multipliers");
  }
  return is_integer_row_type(type)
             ? Status::ok
             : say(Status::bad_option, row_member, row_type, 0, 0, "must be float32 for weights of this type");
}

/// What a format multiplies: weights of a type by rows of floats, by rows of integers, or, of the matrices of a layer
/// or a block, by both. 0 is float32 alone.
inline constexpr std::uint32_t by_integer_rows = 0x100;
inline constexpr std::uint32_t by_mixed_rows = 0x200;

[[nodiscard]] constexpr std::uint32_t products_of(DataType type, DataType row_type) noexcept {
  return static_cast<std::uint32_t>(type) | (row_type == DataType::float32 ? 0 : by_integer_rows);
}
/// Of two matrices whose weights are of one type.
[[nodiscard]] constexpr std::uint32_t joined_products(std::uint32_t one, std::uint32_t other) noexcept {
  return one == other ? one : (one & ~by_integer_rows) | by_mixed_rows;
}

struct LinearNames {
  RegionName weights;
  RegionName scales;
  RegionName bias;
};

/// Null regions where it does not fit.
constexpr LinearPlan lay_out_linear(Layout& layout, std::uint64_t inputs, std::uint64_t outputs, DataType type,
                                    DataType row_type, bool bias, const LinearNames& names) noexcept {
  const std::uint64_t panels = round_up(outputs, panel_width) / panel_width;
  LinearPlan plan{.inputs = static_cast<std::uint32_t>(inputs),
                  .outputs = static_cast<std::uint32_t>(outputs),
                  .type = type,
                  .row_type = row_type};
  plan.weights = layout.add(names.weights, panels, packed_inputs(row_type, inputs), vector_bytes(type));
  const std::uint64_t scales = panel_scale_bytes(type, inputs);
  if (scales != 0) plan.scales = layout.add(names.scales, panels, scales, 1);
  if (bias) plan.bias = layout.add(names.bias, panels, panel_width, sizeof(float));
  plan.bytes = plan.weights.bytes + plan.scales.bytes + plan.bias.bytes;
  if (row_type != DataType::float32) {
    plan.row_bytes = rounded_row_bytes(plan.inputs);
  } else if (type != DataType::float32) {
    const std::uint64_t staged = inputs < staged_inputs ? inputs : staged_inputs;
    plan.staging_bytes = static_cast<std::uint32_t>(staged) * vector_bytes(DataType::float32);
  }
  return plan;
}

/// What products need besides their rows, one at a time: dequantized weights of each worker, or rows in integers, which
/// so many parts of a call have at the same time. Null for weights of float32.
template <std::size_t Count>
constexpr Region lay_out_staging(Layout& layout, const LinearPlan* const (&products)[Count], std::uint32_t workers,
                                 std::uint32_t rows, std::uint32_t parts = 1) noexcept {
  std::uint32_t weights = 0;
  std::uint32_t row = 0;
  for (const LinearPlan* product : products) {
    if (product->staging_bytes > weights) weights = product->staging_bytes;
    if (product->row_bytes > row) row = product->row_bytes;
  }
  const std::uint64_t all_weights = std::uint64_t{workers} * weights;
  const std::uint64_t part_rows = rows < rounded_rows_at_once ? rows : rounded_rows_at_once;
  const std::uint64_t all_rows = parts * part_rows * row;
  if (all_weights == 0 && all_rows == 0) return {};
  return all_rows > all_weights ? layout.add(RegionName::rounded_rows, all_rows, 1, 1)
                                : layout.add(RegionName::staged_weights, all_weights, 1, 1);
}

}  // namespace detail

/// Writes the plan of a configuration, or a status that says why there is none and leaves `plan` as it was:
/// zero_dimension, too_large; bad_option: no such type, or weights of a type that rows of the other do not go with.
template <class Say = detail::Unexplained>
[[nodiscard]] constexpr Status make_plan(const LinearConfig& config, LinearPlan& plan, Say say = {}) noexcept {
  if (config.inputs == 0) return say(Status::zero_dimension, "inputs", 0, 1, max_rows);
  if (config.outputs == 0) return say(Status::zero_dimension, "outputs", 0, 1, max_rows);
  if (config.inputs > max_rows) return say(Status::too_large, "inputs", config.inputs, 1, max_rows);
  if (config.outputs > max_rows) return say(Status::too_large, "outputs", config.outputs, 1, max_rows);
  const Status types = detail::check_types("type", config.type, "row_type", config.row_type, say);
  if (types != Status::ok) return types;
  Layout layout;
  const LinearPlan made =
      detail::lay_out_linear(layout, config.inputs, config.outputs, config.type, config.row_type, config.bias,
                             {RegionName::weights, RegionName::weight_scales, RegionName::bias});
  if (!layout.fits()) return detail::sizes_too_large(say);
  plan = made;
  return Status::ok;
}

/// The plan of a configuration known at compile time. A bad configuration does not compile.
[[nodiscard]] consteval LinearPlan plan(const LinearConfig& config) {
  LinearPlan made;
  detail::require(make_plan(config, made));
  return made;
}

/// y = x W^T + b. Of both matrices, batch entry 0 is read: x [1, rows, inputs], y [1, rows, outputs]; they do not
/// overlap. `scratch`: workers * plan.staging_bytes on a 64-byte boundary; its content means nothing between calls.
/// `workers`: most tasks handed to the executor at once, 1..64; they change no bit of the result.
///
/// With rows of integers `scratch` is min(rows, 64) * plan.row_bytes instead, and NaN or infinity in a row makes its
/// whole output NaN and changes no other row.
///
/// not_initialised: the plan is empty. zero_dimension, too_large: rows are 0 or above 2^30. bad_workers. null_pointer,
/// arena_too_small, arena_misaligned: the weights, or scratch where staging_bytes are not 0. missing_format: the format
/// is not that of plan.type. null_pointer, bad_stride: x or y. overlap: they begin at the same element.
[[nodiscard]] Status linear(const LinearPlan& plan, const PackedWeights& weights, std::uint32_t rows, ConstMatrix x,
                            MutableMatrix y, std::span<std::byte> scratch = {}, const Executor& executor = {},
                            std::uint32_t workers = 1) noexcept;

/// Writes a matrix [outputs, inputs], rounded to the plan's type, and a bias [outputs] (null means zero) into `packed`,
/// from plan.weights.offset on. Done once, on the device or offline; the bytes are the same on every little-endian
/// machine. With m the number of greatest magnitude that shares a scale:
///   float16, bfloat16  to nearest even, beyond the range infinity
///   int8               scale = the least float32 whose low 8 bits are 0 with 127 * scale >= |m|; q in -127..127
///   int8_groups        scale = |m| / 127 rounded to float16;                                     q in -127..127
///   int4_groups        scale = m / -8 rounded to float16;                                        q in -8..7
///   int8_multipliers   s = |m| / 127 of each group, scale = the greatest s of an output / 63, and the multiplier is
///                      s / scale rounded up;                                                     q in -127..127
///   int4_multipliers   the same with s = m / -8, whose sign the multiplier has;                  q in -8..7
/// and q = w / scale, or w / (multiplier * scale), (the IEEE-754 quotient) rounded to nearest even and clamped. If
/// scale is 0, so is q. NaN or infinity, and in groups a scale beyond the range of float16, makes the scale NaN and
/// every q 0: what shares that scale is dequantized to NaN, and nothing else changes.
///
/// not_initialised: the plan is empty. null_pointer: `weight`, or `packed`. arena_too_small: `packed` has less than
/// plan.weights.offset + plan.bytes. arena_misaligned. bad_option: a bias that is not null and a plan without one.
/// bad_scale: the matrix has numbers other than 0 and each of them would be stored as 0, as all of float16 or
/// int4_groups are whose greatest magnitude is at most 2^-25 (3e-8) or 2^-22 (2.4e-7), and of int8_groups at most 127 *
/// 2^-25 (3.8e-6): another type holds them. Nothing is written then.
[[nodiscard]] Status pack_linear(const LinearPlan& plan, const float* weight, const float* bias,
                                 std::span<std::byte> packed) noexcept;

/// The same with numbers that are stored already, taken as they are: float16 or bfloat16 [outputs, inputs]; int8
/// q [outputs, inputs] and scales [outputs]; or q of either type of groups and float16 scales [outputs, groups], where
/// groups = inputs rounded up to 32 / 32. Scales may be negative.
///
/// As pack_linear(); plan_mismatch: the plan is of another type; bad_option, too: a q outside -8..7 for int4_groups.
[[nodiscard]] Status pack_linear_quantized(const LinearPlan& plan, const std::uint16_t* weight, const float* bias,
                                           std::span<std::byte> packed) noexcept;
[[nodiscard]] Status pack_linear_quantized(const LinearPlan& plan, const std::int8_t* weight, const float* scales,
                                           const float* bias, std::span<std::byte> packed) noexcept;
[[nodiscard]] Status pack_linear_quantized(const LinearPlan& plan, const std::int8_t* weight,
                                           const std::uint16_t* scales, const float* bias,
                                           std::span<std::byte> packed) noexcept;

/// For rows of integers: q [outputs, inputs], scales [outputs] and, of the types that have them, multipliers [outputs,
/// groups], otherwise null. plan_mismatch: the plan's rows are floats; bad_option, too: a q outside -127..127, or
/// -8..7 for int4_multipliers, or a multiplier outside -63..63.
[[nodiscard]] Status pack_linear_quantized(const LinearPlan& plan, const std::int8_t* weight,
                                           const std::int8_t* multipliers, const float* scales, const float* bias,
                                           std::span<std::byte> packed) noexcept;

/// The floats that packed weights stand for: weight [outputs, inputs].
/// not_initialised, null_pointer, arena_too_small, arena_misaligned, missing_format: as in linear().
[[nodiscard]] Status unpack_linear(const LinearPlan& plan, const PackedWeights& weights, float* weight) noexcept;

}  // namespace heed
