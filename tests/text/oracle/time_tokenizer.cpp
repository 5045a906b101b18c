// SPDX-License-Identifier: MIT
//
// time_tokenizer FILE TEXT_FILE: microseconds to encode and to decode 1,024 bytes of a text, and the fewest words that
// encode the first 256.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "heed/text.hpp"

namespace {

std::string read(const char* name) {
  std::ifstream stream(name, std::ios::binary);
  return {(std::istreambuf_iterator<char>(stream)), {}};
}

/// The least of 20 runs.
template <class Run>
double microseconds(const Run& run) {
  double least = 1e30;
  for (int i = 0; i < 20; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    run();
    least =
        std::min(least, std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
  }
  return least;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string bytes = read(argv[1]);
  std::vector<std::uint32_t> file((bytes.size() + 3) / 4);
  bytes.copy(reinterpret_cast<char*>(file.data()), bytes.size());
  heed::TextTokenizer tokenizer;
  if (tokenizer.bind(std::as_bytes(std::span(file)).first(bytes.size())) != heed::Status::ok) return 2;
  const std::string text = read(argv[2]).substr(0, 16384);
  if (text.size() < 256) return 2;
  std::vector<std::uint32_t> words(heed::text_words(text.size()));
  std::uint32_t count = 0;
  bool ok = true;
  const double encode =
      microseconds([&] { ok = ok && heed::encode_text(tokenizer, text, true, words, count) == heed::Status::ok; });
  const std::vector<std::uint32_t> tokens(words.begin(), words.begin() + count);
  std::string out((tokens.size() + 1) * tokenizer.decode_bytes(), '\0');
  std::size_t length = 0;
  const double decode =
      microseconds([&] { ok = ok && heed::decode_text(tokenizer, tokens, true, out, length) == heed::Status::ok; });
  std::size_t fewest = 1;
  while (heed::encode_text(tokenizer, std::span(text).first(256), true, std::span(words).first(fewest), count) !=
         heed::Status::ok) {
    ++fewest;
  }
  const double kibibytes = static_cast<double>(text.size()) / 1024;
  std::printf("%s: %zu bytes; encode %.1f us, decode %.1f us for 1,024 bytes; %zu words for 256 bytes\n", argv[1],
              bytes.size(), encode / kibibytes, decode / kibibytes, fewest);
  return ok ? 0 : 1;
}
