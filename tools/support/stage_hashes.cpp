// SPDX-License-Identifier: MIT
#include "support/stage_hashes.hpp"

#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

#include "formats/json_text.hpp"
#include "support/failure.hpp"

namespace heed::tools {

namespace {

constexpr std::array known_stages{Stage::embedding, Stage::attention, Stage::cross_attention,
                                  Stage::mlp,       Stage::block,     Stage::output};

template <class Number>
bool parse_number(std::string_view text, int base, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, base);
  return !text.empty() && error == std::errc{} && rest == end;
}

bool parse_hash(std::string_view text, std::uint64_t& hash) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  return text.size() == 16 && parse_number(text, 16, hash);
}

std::vector<StageHash> parse_document(const nlohmann::json& document, const std::string& name) {
  if (!document.is_object() || !document.contains("stages") || !document["stages"].is_array()) {
    throw Failure(name + ": there is no list of stages");
  }
  std::vector<StageHash> hashes;
  for (const nlohmann::json& entry : document["stages"]) {
    const std::string where = name + ": stage " + std::to_string(hashes.size());
    const bool fields = entry.is_object() && entry.contains("block") && entry["block"].is_number_unsigned() &&
                        entry.contains("stage") && entry["stage"].is_string() && entry.contains("hash") &&
                        entry["hash"].is_string();
    if (!fields) throw Failure(where + ": block, stage or hash is missing or of the wrong kind");
    const auto block = entry["block"].get<std::uint64_t>();
    if (block > std::numeric_limits<std::uint32_t>::max()) {
      throw Failure(where + ": block " + std::to_string(block) + " has more than 32 bits");
    }
    StageHash hash{static_cast<std::uint32_t>(block), entry["stage"].get<std::string>(), 0};
    if (!is_stage(hash.stage)) throw Failure(where + ": there is no stage " + hash.stage);
    if (!parse_hash(entry["hash"].get<std::string>(), hash.hash)) {
      throw Failure(where + ": the hash is not 16 hexadecimal digits");
    }
    hashes.push_back(std::move(hash));
  }
  return hashes;
}

std::vector<StageHash> parse_console(const std::string& text, const std::string& name) {
  std::vector<StageHash> hashes;
  std::istringstream lines(text);
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    std::string first, block, stage, digits, more;
    words >> first >> block >> stage >> digits;
    if (first != "stage") continue;
    StageHash hash{0, stage, 0};
    const bool good =
        parse_number(block, 10, hash.block) && is_stage(stage) && parse_hash(digits, hash.hash) && !(words >> more);
    if (!good) throw Failure(name + ": line " + std::to_string(number) + ": not `stage <block> <stage> <hash>`");
    hashes.push_back(std::move(hash));
  }
  return hashes;
}

}  // namespace

bool is_stage(std::string_view name) {
  for (const Stage stage : known_stages) {
    if (name == to_string(stage)) return true;
  }
  return false;
}

std::uint64_t hash_of(const float* values, std::size_t count) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, values + i, sizeof bits);
    for (int shift = 0; shift < 32; shift += 8) hash = (hash ^ ((bits >> shift) & 0xFFU)) * 0x100000001B3U;
  }
  return hash;
}

std::string to_digits(std::uint64_t hash) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += digits[hash >> shift & 15];
  return text;
}

void StageHashes::add(std::uint32_t block, Stage stage, const float* values, std::uint32_t rows,
                      std::uint32_t columns) {
  stages_.push_back({block, to_string(stage), hash_of(values, std::size_t{rows} * columns)});
}

std::string StageHashes::to_json() const {
  // A line for each stage, so that a text comparison of two files shows the same.
  std::string text = "{\"stages\": [";
  for (const StageHash& hash : stages_) {
    text += &hash == stages_.data() ? "\n" : ",\n";
    text += "  {\"block\": " + std::to_string(hash.block) + ", \"stage\": \"" + hash.stage + "\", \"hash\": \"" +
            to_digits(hash.hash) + "\"}";
  }
  return text + "\n]}\n";
}

std::vector<StageHash> parse_stages(const std::string& text, const std::string& name) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  const bool is_document = begin != std::string::npos && (text[begin] == '{' || text[begin] == '[');
  std::vector<StageHash> hashes =
      is_document ? parse_document(parse_json(text, name), name) : parse_console(text, name);
  if (hashes.empty()) throw Failure(name + ": there are no stages");
  return hashes;
}

}  // namespace heed::tools
