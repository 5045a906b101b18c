// SPDX-License-Identifier: MIT
//
// tokenize_lines FILE: for each line of the standard input, a text in hexadecimal digits, its tokens and what they are
// as text again, without special tokens and with them: "<token> ...|<hex>|<hex>".
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "heed/text.hpp"

namespace {

std::string from_hex(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

std::string to_hex(const std::string& bytes) {
  std::string digits;
  char two[3];
  for (const char byte : bytes) {
    std::snprintf(two, sizeof two, "%02x", static_cast<unsigned>(static_cast<unsigned char>(byte)));
    digits += two;
  }
  return digits;
}

/// Stream and whole agree where no byte tokens are broken, which U+FFFD tells; the whole is what the line has.
std::string decoded(const heed::TextTokenizer& tokenizer, const std::vector<std::uint32_t>& tokens, bool special) {
  std::string text((tokens.size() + 1) * tokenizer.decode_bytes(), '\0');
  std::size_t count = 0;
  if (heed::decode_text(tokenizer, tokens, special, text, count) != heed::Status::ok) return "refused";
  text.resize(count);
  heed::TextDecoder decoder;
  std::string room(tokenizer.decode_bytes(), '\0');
  std::string stream;
  if (decoder.bind(tokenizer, special) != heed::Status::ok) return "refused";
  for (const std::uint32_t token : tokens) {
    if (decoder.decode(token, room, count) != heed::Status::ok) return "refused";
    stream += room.substr(0, count);
  }
  if (decoder.finish(room, count) != heed::Status::ok) return "refused";
  stream += room.substr(0, count);
  return stream == text || text.find("\xEF\xBF\xBD") != text.npos ? text : "stream: " + stream;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream stream(argv[1], std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
  std::vector<std::uint32_t> file((bytes.size() + 3) / 4);
  bytes.copy(reinterpret_cast<char*>(file.data()), bytes.size());
  heed::TextTokenizer tokenizer;
  if (tokenizer.bind(std::as_bytes(std::span(file)).first(bytes.size())) != heed::Status::ok) return 2;
  for (std::string line; std::getline(std::cin, line);) {
    const std::string text = from_hex(line);
    std::vector<std::uint32_t> tokens(heed::text_words(text.size()));
    std::uint32_t count = 0;
    if (heed::encode_text(tokenizer, text, true, tokens, count) != heed::Status::ok) return 1;
    tokens.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) std::cout << (i == 0 ? "" : " ") << tokens[i];
    std::cout << '|' << to_hex(decoded(tokenizer, tokens, false)) << '|' << to_hex(decoded(tokenizer, tokens, true))
              << '\n';
  }
}
