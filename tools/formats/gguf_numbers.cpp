// SPDX-License-Identifier: MIT
#include "formats/gguf_numbers.hpp"

#include <cstring>

#include "formats/half_floats.hpp"

namespace heed::tools {

namespace {

constexpr int group_numbers = 32;
constexpr int super_numbers = 256;  ///< of a block of the K types

std::uint32_t byte_at(const char* from, int at) {
  return static_cast<unsigned char>(from[at]);
}

float half_at(const char* from, int at) {
  return from_float16(static_cast<std::uint16_t>(byte_at(from, at) | byte_at(from, at + 1) << 8));
}

void decode_group(const NumberFormat& format, const char* block, float* to) {
  std::int8_t integers[group_numbers];
  const float scale = from_float16(read_group(format, block, integers));
  for (int i = 0; i < group_numbers; ++i) to[i] = scale * static_cast<float>(integers[i]);
}

void decode_q8_0(const char* block, float* to) {
  decode_group(q8_0_numbers, block, to);
}
void decode_q5_0(const char* block, float* to) {
  decode_group(q5_0_numbers, block, to);
}
void decode_q4_0(const char* block, float* to) {
  decode_group(q4_0_numbers, block, to);
}

/// Of 16 bytes: the first 16 numbers in the lower halves, the others in the upper ones.
std::uint32_t half_byte(const char* bytes, int i) {
  return byte_at(bytes, i % 16) >> (i / 16 * 4) & 15;
}

/// Also their fifth bits, in four bytes before those.
std::uint32_t five_bits(const char* bits, int i) {
  return half_byte(bits + 4, i) | (byte_at(bits, i / 8) >> (i % 8) & 1) << 4;
}

/// scale * q + minimum, of which only the sum is rounded.
void decode_q4_1(const char* block, float* to) {
  for (int i = 0; i < group_numbers; ++i) {
    to[i] = half_at(block, 0) * static_cast<float>(half_byte(block + 4, i)) + half_at(block, 2);
  }
}
void decode_q5_1(const char* block, float* to) {
  for (int i = 0; i < group_numbers; ++i) {
    to[i] = half_at(block, 0) * static_cast<float>(five_bits(block + 4, i)) + half_at(block, 2);
  }
}

/// Of Q4_K and Q5_K: eight scales and eight minima of 6 bits in 12 bytes, each of 32 numbers.
struct ScaleAndMinimum {
  float scale;
  float minimum;
};
ScaleAndMinimum scale_of(const char* block, int group) {
  const char* const packed = block + 4;
  std::uint32_t scale = byte_at(packed, group) & 63;
  std::uint32_t minimum = byte_at(packed, group + 4) & 63;
  if (group >= 4) {
    scale = (byte_at(packed, group + 4) & 15) | (byte_at(packed, group - 4) >> 6) << 4;
    minimum = byte_at(packed, group + 4) >> 4 | (byte_at(packed, group) >> 6) << 4;
  }
  return {half_at(block, 0) * static_cast<float>(scale), half_at(block, 2) * static_cast<float>(minimum)};
}

/// Low bits of 64 numbers lie in 32 bytes: the first 32 in the lower halves, the others in the upper ones. Each is
/// scale * q - minimum, of which only the difference is rounded.
void decode_with_minima(const char* block, const char* low, const char* high, float* to) {
  for (int i = 0; i < super_numbers; ++i) {
    const int group = i / group_numbers;
    const int inside = i % group_numbers;
    std::uint32_t q = byte_at(low, group / 2 * group_numbers + inside) >> (group % 2 * 4) & 15;
    if (high != nullptr) q |= (byte_at(high, inside) >> group & 1) << 4;
    const ScaleAndMinimum of = scale_of(block, group);
    to[i] = of.scale * static_cast<float>(q) - of.minimum;
  }
}

void decode_q4_k(const char* block, float* to) {
  decode_with_minima(block, block + 16, nullptr, to);
}
void decode_q5_k(const char* block, float* to) {
  decode_with_minima(block, block + 48, block + 16, to);
}

/// 128 bytes of low halves, 64 of two high bits each, sixteen scales of 8 bits, a float16.
void decode_q6_k(const char* block, float* to) {
  const char* const high = block + 128;
  const char* const scales = block + 192;
  const float scale = half_at(block, 208);
  for (int i = 0; i < super_numbers; ++i) {
    const int half = i / 128;
    const int quarter = i % 128 / 32;
    const int inside = i % 32;
    const std::uint32_t low = byte_at(block, half * 64 + quarter % 2 * 32 + inside) >> (quarter / 2 * 4) & 15;
    const std::uint32_t bits = byte_at(high, half * 32 + inside) >> (quarter * 2) & 3;
    const int q = static_cast<int>(low | bits << 4) - 32;
    const auto group = static_cast<float>(static_cast<std::int8_t>(scales[i / 16]));
    to[i] = scale * group * static_cast<float>(q);
  }
}

const NumberFormat q4_1_numbers{"Q4_1", group_numbers, 20, decode_q4_1};
const NumberFormat q5_1_numbers{"Q5_1", group_numbers, 24, decode_q5_1};
const NumberFormat q4_k_numbers{"Q4_K", super_numbers, 144, decode_q4_k};
const NumberFormat q5_k_numbers{"Q5_K", super_numbers, 176, decode_q5_k};
const NumberFormat q6_k_numbers{"Q6_K", super_numbers, 210, decode_q6_k};

const GgufType gguf_types[] = {{0, "F32", &float32_numbers},
                               {1, "F16", &float16_numbers},
                               {2, "Q4_0", &q4_0_numbers},
                               {3, "Q4_1", &q4_1_numbers},
                               {6, "Q5_0", &q5_0_numbers},
                               {7, "Q5_1", &q5_1_numbers},
                               {8, "Q8_0", &q8_0_numbers},
                               {9, "Q8_1", nullptr},
                               {10, "Q2_K", nullptr},
                               {11, "Q3_K", nullptr},
                               {12, "Q4_K", &q4_k_numbers},
                               {13, "Q5_K", &q5_k_numbers},
                               {14, "Q6_K", &q6_k_numbers},
                               {15, "Q8_K", nullptr},
                               {16, "IQ2_XXS", nullptr},
                               {17, "IQ2_XS", nullptr},
                               {18, "IQ3_XXS", nullptr},
                               {19, "IQ1_S", nullptr},
                               {20, "IQ4_NL", nullptr},
                               {21, "IQ3_S", nullptr},
                               {22, "IQ2_S", nullptr},
                               {23, "IQ4_XS", nullptr},
                               {24, "I8", nullptr},
                               {25, "I16", nullptr},
                               {26, "I32", nullptr},
                               {27, "I64", nullptr},
                               {28, "F64", nullptr},
                               {29, "IQ1_M", nullptr},
                               {30, "BF16", &bfloat16_numbers},
                               {34, "TQ1_0", nullptr},
                               {35, "TQ2_0", nullptr},
                               {39, "MXFP4", nullptr}};

}  // namespace

const NumberFormat q8_0_numbers{"Q8_0", group_numbers, 34, decode_q8_0};
const NumberFormat q5_0_numbers{"Q5_0", group_numbers, 22, decode_q5_0};
const NumberFormat q4_0_numbers{"Q4_0", group_numbers, 18, decode_q4_0};

const GgufType* gguf_type(std::uint32_t number) {
  for (const GgufType& type : gguf_types) {
    if (type.number == number) return &type;
  }
  return nullptr;
}

const char* supported_gguf_types() {
  return "F32, F16, BF16, Q8_0, Q5_0, Q5_1, Q4_0, Q4_1, Q6_K, Q5_K and Q4_K";
}

bool is_grouped(const NumberFormat& format) {
  return &format == &q8_0_numbers || &format == &q5_0_numbers || &format == &q4_0_numbers;
}

std::uint16_t read_group(const NumberFormat& format, const char* block, std::int8_t* integers) {
  const char* const numbers = block + 2;
  if (&format == &q8_0_numbers) {
    std::memcpy(integers, numbers, group_numbers);
  } else {
    const bool five = &format == &q5_0_numbers;
    for (int i = 0; i < group_numbers; ++i) {
      const int q = static_cast<int>(five ? five_bits(numbers, i) : half_byte(numbers, i));
      integers[i] = static_cast<std::int8_t>(q - (five ? 16 : 8));
    }
  }
  return static_cast<std::uint16_t>(byte_at(block, 0) | byte_at(block, 1) << 8);
}

}  // namespace heed::tools
