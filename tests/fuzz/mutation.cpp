// SPDX-License-Identifier: MIT
#include "fuzz/mutation.hpp"

#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>

namespace heed::test::fuzz {
namespace {

constexpr std::uint32_t edges[] = {0,          1,          2,          3,          15,         16,        17,
                                   63,         64,         127,        128,        255,        256,       1023,
                                   1024,       4096,       4097,       65535,      65536,      65537,     0x3FFFFFFF,
                                   0x40000000, 0x7F800000, 0x7FC00000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
constexpr std::string_view numbers[] = {"0",
                                        "1",
                                        "2",
                                        "3",
                                        "7",
                                        "16",
                                        "255",
                                        "65536",
                                        "65537",
                                        "-1",
                                        "1.5",
                                        "1e39",
                                        "-0",
                                        "1e-50",
                                        "4294967295",
                                        "4294967296",
                                        "1073741825",
                                        "9223372036854775808",
                                        "18446744073709551615",
                                        "18446744073709551616"};

class Change {
 public:
  Change(std::string& input, const Corpus& corpus, Random& random) : input_(input), corpus_(corpus), random_(random) {}

  void make() {
    switch (random_.between(0, input_.empty() ? 1 : 11)) {
      case 0: input_.insert(place(), bytes(below(8) + 1)); break;
      case 1: insert_word(); break;
      case 2: input_[below(input_.size())] ^= static_cast<char>(1U << below(8)); break;
      case 3: input_[below(input_.size())] = static_cast<char>(random_.bits()); break;
      case 4:
      case 5:
      case 6: set_word(); break;
      case 7: input_.resize(below(input_.size())); break;
      case 8: input_.erase(below(input_.size()), 1 + below(16)); break;
      case 9: copy_range(input_); break;
      case 10: copy_range(corpus_.seeds[below(corpus_.seeds.size())]); break;
      default: change_number(); break;
    }
  }

 private:
  std::size_t below(std::size_t count) { return random_.bits() % count; }
  std::size_t place() { return below(input_.size() + 1); }

  std::string bytes(std::size_t count) {
    std::string some(count, '\0');
    for (char& byte : some) byte = static_cast<char>(random_.bits());
    return some;
  }

  void insert_word() {
    if (corpus_.words.empty()) {
      input_.insert(place(), bytes(4));
    } else {
      input_.insert(place(), corpus_.words[below(corpus_.words.size())]);
    }
  }

  /// A header has its words at multiples of four bytes.
  void set_word() {
    const std::size_t words = input_.size() / sizeof(std::uint32_t);
    if (words == 0) return;
    const std::size_t header = words < 64 || below(4) == 0 ? words : 64;
    const auto any = static_cast<std::uint32_t>(random_.bits());
    const std::uint32_t choices[] = {any, edges[any % std::size(edges)], any % 24};
    std::memcpy(input_.data() + below(header) * sizeof(std::uint32_t), &choices[below(3)], sizeof(std::uint32_t));
  }

  void copy_range(const std::string& from) {
    if (from.empty()) return;
    const std::string part = from.substr(below(from.size()), 1 + below(64));
    const std::size_t to = place();
    if (below(2) == 0) {
      input_.insert(to, part);
    } else {
      input_.replace(to, part.size(), part);
    }
  }

  void change_number() {
    constexpr std::string_view digits = "0123456789";
    const std::size_t begin = input_.find_first_of(digits, below(input_.size()));
    if (begin == std::string::npos) return;
    std::size_t end = input_.find_first_not_of(digits, begin);
    if (end == std::string::npos) end = input_.size();
    input_.replace(begin, end - begin, numbers[below(std::size(numbers))]);
  }

  std::string& input_;
  const Corpus& corpus_;
  Random& random_;
};

}  // namespace

void mutate(std::string& input, const Corpus& corpus, Random& random) {
  for (std::uint32_t changes = random.between(1, 4); changes > 0; --changes) Change(input, corpus, random).make();
  if (input.size() > most_input_bytes) input.resize(most_input_bytes);
}

}  // namespace heed::test::fuzz
