// SPDX-License-Identifier: MIT
//
// Both formats are those of llama2.c's export.py: version 0 of floats, version 2 of int8.
#include "runq_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <vector>

#include "cases/data.hpp"

namespace heed::bench {
namespace {

constexpr std::uint32_t group = 32;
constexpr std::size_t header_bytes = 256;

/// As both files begin, the second one after its magic number and its version.
struct Sizes {
  std::int32_t dim, hidden_dim, layers, heads, kv_heads, vocabulary, positions;
};

/// [layers, rows, columns]
struct Tensor {
  std::size_t layers, rows, columns;
  Floats numbers;
};

[[nodiscard]] Tensor read_tensor(std::ifstream& file, std::size_t layers, std::size_t rows, std::size_t columns) {
  Tensor tensor{layers, rows, columns, Floats(layers * rows * columns)};
  file.read(reinterpret_cast<char*>(tensor.numbers.data()),
            static_cast<std::streamsize>(tensor.numbers.size() * sizeof(float)));
  return tensor;
}

[[nodiscard]] Tensor with_zeros(const Tensor& from, std::size_t rows, std::size_t columns) {
  Tensor to{from.layers, rows, columns, Floats(from.layers * rows * columns, 0.0F)};
  for (std::size_t row = 0; row < from.layers * from.rows; ++row) {
    const std::size_t at = row / from.rows * rows + row % from.rows;
    std::copy_n(from.numbers.data() + row * from.columns, from.columns, to.numbers.data() + at * columns);
  }
  return to;
}

template <class Number>
void write_numbers(std::ofstream& file, const std::vector<Number>& numbers) {
  file.write(reinterpret_cast<const char*>(numbers.data()),
             static_cast<std::streamsize>(numbers.size() * sizeof(Number)));
}

void write_floats(std::ofstream& file, const Tensor& tensor) {
  write_numbers(file, std::vector<float>(tensor.numbers.begin(), tensor.numbers.end()));
}

/// Layer after layer, the numbers and then a scale for each group.
void write_integers(std::ofstream& file, const Tensor& tensor) {
  const std::size_t size = tensor.rows * tensor.columns;
  for (std::size_t layer = 0; layer < tensor.layers; ++layer) {
    const float* from = tensor.numbers.data() + layer * size;
    std::vector<std::int8_t> numbers;
    std::vector<float> scales;
    for (std::size_t first = 0; first < size; first += group) {
      float greatest = 0;
      for (std::size_t i = first; i < first + group; ++i) greatest = std::max(greatest, std::abs(from[i]));
      scales.push_back(greatest / 127);
      for (std::size_t i = first; i < first + group; ++i) {
        numbers.push_back(greatest == 0 ? std::int8_t{0}
                                        : static_cast<std::int8_t>(std::lrint(from[i] / scales.back())));
      }
    }
    write_numbers(file, numbers);
    write_numbers(file, scales);
  }
}

}  // namespace

void write_runq_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::ifstream in(from, std::ios::binary);
  Sizes sizes{};
  in.read(reinterpret_cast<char*>(&sizes), sizeof sizes);
  if (!in || sizes.vocabulary <= 0) fail(from.string() + " is no model with a head that is its embedding");
  const auto dim = static_cast<std::size_t>(sizes.dim);
  const auto hidden = static_cast<std::size_t>(sizes.hidden_dim);
  const auto layers = static_cast<std::size_t>(sizes.layers);
  const std::size_t kv_dim = dim / static_cast<std::size_t>(sizes.heads) * static_cast<std::size_t>(sizes.kv_heads);
  const Tensor embedding = read_tensor(in, 1, static_cast<std::size_t>(sizes.vocabulary), dim);
  const Tensor attention_norm = read_tensor(in, layers, 1, dim);
  const std::array<Tensor, 4> projections{read_tensor(in, layers, dim, dim), read_tensor(in, layers, kv_dim, dim),
                                          read_tensor(in, layers, kv_dim, dim), read_tensor(in, layers, dim, dim)};
  const Tensor mlp_norm = read_tensor(in, layers, 1, dim);
  const Tensor gate = read_tensor(in, layers, hidden, dim);
  const Tensor down = read_tensor(in, layers, dim, hidden);
  const Tensor up = read_tensor(in, layers, hidden, dim);
  const Tensor last_norm = read_tensor(in, 1, 1, dim);
  if (!in) fail(from.string() + " cannot be read");

  const std::size_t filled = (hidden + group - 1) / group * group;
  sizes.hidden_dim = static_cast<std::int32_t>(filled);
  std::ofstream out(to, std::ios::binary);
  constexpr std::array<std::uint32_t, 2> beginning{0x616B3432, 2};
  constexpr std::uint8_t shared_head = 1;
  out.write(reinterpret_cast<const char*>(beginning.data()), sizeof beginning);
  out.write(reinterpret_cast<const char*>(&sizes), sizeof sizes);
  out.write(reinterpret_cast<const char*>(&shared_head), sizeof shared_head);
  out.write(reinterpret_cast<const char*>(&group), sizeof group);
  out.write(std::array<char, header_bytes>{}.data(), static_cast<std::streamsize>(header_bytes) - out.tellp());
  for (const Tensor* norm : {&attention_norm, &mlp_norm, &last_norm}) write_floats(out, *norm);
  write_integers(out, embedding);
  for (const Tensor& projection : projections) write_integers(out, projection);
  write_integers(out, with_zeros(gate, filled, dim));
  write_integers(out, with_zeros(down, dim, filled));
  write_integers(out, with_zeros(up, filled, dim));
  out.close();
  if (!out) fail(to.string() + " cannot be written");
}

}  // namespace heed::bench
