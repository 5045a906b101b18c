/* SPDX-License-Identifier: MIT
 *
 * Packed weights, and what reads them; linear.hpp says more. heed_layer.h and heed_model.h have what takes them.
 */
#ifndef HEED_HEED_LINEAR_H
#define HEED_HEED_LINEAR_H

#include <stddef.h>
#include <stdint.h>

#include "heed/heed_format.h"
#include "heed/heed_types.h"

#ifdef HEED_CPP
#include <concepts>
#include <cstddef>
#include <span>
#endif

/* The place of a matrix and its bias in packed weights. Lane i of panel p is output 16 p + i; lanes beyond the last
 * output hold 0. Use it as it was planned: a changed one makes calls read and write outside of their memory. */
HEED_STRUCT(heed_linear_plan, LinearPlan) {
  uint32_t inputs HEED_ZERO;
  uint32_t outputs HEED_ZERO;
  heed_data_type type HEED_ZERO;
  heed_data_type row_type HEED_ZERO; /* float32, or what rows are rounded to: int8 or int16 */
  /* Rows of float32: element [outputs rounded up to 16 / 16, inputs, 16]; 4, 2, 2, 1 or 1 bytes, or 4 bits: lane i is
   * the low nibble of byte i, lane i + 8 its high nibble, and a nibble holds q + 8.
   * Rows of integers: byte [outputs rounded up to 16 / 16, inputs rounded up to 8 / 4, 16, 4], those of even inputs
   * q + 128; or, of 4 bits, [outputs rounded up to 16 / 16, inputs rounded up to 8 / 8, 16, 4], where byte i holds
   * input i in its low nibble and input i + 4 in its high one, each q + 8. What has no input holds q = 0. */
  heed_region weights HEED_ZERO;
  /* For each 16 outputs: int8: float [16]; groups: float16 [inputs rounded up to 32 / 32, 16]; multipliers: float [16],
   * and int8 [inputs rounded up to 32 / 32, 16] after it; otherwise 0 bytes. */
  heed_region scales HEED_ZERO;
  heed_region bias HEED_ZERO; /* float [outputs rounded up to 16], or 0 bytes */
  uint32_t bytes HEED_ZERO;   /* of the three */
  uint32_t staging_bytes
      HEED_ZERO;                /* scratch of each worker, for dequantized weights; 0 for float32 and integer rows */
  uint32_t row_bytes HEED_ZERO; /* scratch of each row that is rounded to integers; 0 for rows of float32 */

  HEED_COMPARED(LinearPlan)
};

/* Packed weights and what reads them. */
HEED_STRUCT(heed_packed_weights, PackedWeights) {
  const void* bytes HEED_ZERO; /* on a HEED_ARENA_ALIGNMENT boundary */
  size_t size HEED_ZERO;
  const heed_format* format HEED_ZERO; /* null: float32 */

#ifdef HEED_CPP
  constexpr PackedWeights() noexcept = default;
  constexpr PackedWeights(const void* packed, size_t packed_size, const heed_format* weight_format = nullptr) noexcept
      : bytes(packed), size(packed_size), format(weight_format) {}
  /* From any bytes that a span can be made from. */
  template <std::convertible_to<std::span<const std::byte>> Bytes>
  constexpr PackedWeights(const Bytes& packed, const heed_format* weight_format = nullptr) noexcept
      : PackedWeights(std::span<const std::byte>(packed).data(), std::span<const std::byte>(packed).size(),
                      weight_format) {}

  [[nodiscard]] std::span<const std::byte> span() const noexcept {
    return {static_cast<const std::byte*>(bytes), size};
  }
#endif
};
#endif
