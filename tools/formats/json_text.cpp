// SPDX-License-Identifier: MIT
#include "formats/json_text.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/failure.hpp"

namespace heed::tools {

namespace {

using Json = nlohmann::json;

/// Bytes that values take beside their places in lists, as 64-bit C++ libraries allocate them.
constexpr std::size_t member_bytes = 88;
constexpr std::size_t object_bytes = 56;
constexpr std::size_t list_bytes = 32;
constexpr std::size_t text_bytes = 40;
constexpr std::size_t short_text = 15;  ///< needs no bytes of its own

constexpr std::size_t small_memory = std::size_t{1} << 20;
constexpr std::size_t most_times = 16;  ///< with what the library's destructor takes at most 20

/// "line 3, column 5: a comment", where a parser stopped after `read` bytes, the last of which it did not expect.
std::string place_of(std::string_view text, std::size_t read) {
  const std::size_t at = std::min(read == 0 ? 0 : read - 1, text.size());
  const std::string_view before = text.substr(0, at);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const std::size_t last = before.find_last_not_of(" \t\r\n");
  std::string found = "something else is needed";
  if (at == text.size()) {
    found = "it ends too early";
  } else if (text[at] == '/' || text[at] == '#' || (last == at - 1 && before.ends_with('/'))) {
    found = "JSON has no comments";
  } else if ((text[at] == '}' || text[at] == ']') && last != std::string_view::npos && text[last] == ',') {
    found = "JSON has no comma after the last one";
  }
  return "line " + std::to_string(line) + ", column " + std::to_string(at - begin + 1) + ": " + found;
}

/// Values one after another become one. (The library's own parser looks through a list for each object in it, where it
/// asks about names.)
class JsonReader : public nlohmann::json_sax<Json> {
 public:
  JsonReader(std::size_t bytes, const std::string& what)
      : most_bytes_(std::max(small_memory, most_times * bytes)), what_(what) {}

  [[nodiscard]] Json take() { return std::move(root_); }

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(std::int64_t value) override { return put(value); }
  bool number_unsigned(std::uint64_t value) override { return put(value); }
  bool number_float(double value, const std::string&) override { return put(value); }
  bool string(std::string& value) override {
    charge(text_bytes + heap_of(value));
    return put(std::move(value));
  }
  bool binary(Json::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object(), object_bytes); }
  bool start_array(std::size_t) override { return open(Json::array(), list_bytes); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(std::string& name) override {
    charge(member_bytes + heap_of(name));
    const auto [place, added] = open_.back()->emplace(name, nullptr);
    if (!added) throw Failure(what_ + " has " + name + " twice");
    member_ = &*place;
    return true;
  }

  bool parse_error(std::size_t read, const std::string&, const nlohmann::detail::exception& error) override {
    constexpr int number_overflow = 406;
    if (error.id == number_overflow) throw Failure(what_ + ": not JSON: a number is too large for any type");
    read_ = read;
    return false;
  }

  /// Where the parser stopped, if it did.
  [[nodiscard]] std::size_t read() const { return read_; }

 private:
  [[nodiscard]] static std::size_t heap_of(const std::string& text) {
    return text.size() <= short_text ? 0 : text.size() + 1;
  }

  void charge(std::size_t bytes) {
    bytes_ += bytes;
    if (bytes_ > most_bytes_) throw Failure(what_ + ": so many values in so few bytes are not supported");
  }

  /// Where the next value goes. Its destructor moves it once more.
  Json& place() {
    charge(sizeof(Json));
    if (open_.empty()) return root_;
    if (open_.back()->is_object()) return *member_;
    auto& list = open_.back()->get_ref<Json::array_t&>();
    const std::size_t before = list.capacity() * sizeof(Json);
    if (list.size() == list.capacity()) charge(std::max(sizeof(Json), 2 * before));
    Json& last = list.emplace_back();
    if (list.capacity() * sizeof(Json) != before) bytes_ -= before;
    return last;
  }

  bool put(Json value) {
    place() = std::move(value);
    return true;
  }

  bool open(Json value, std::size_t bytes) {
    if (open_.size() == deepest_json) {
      throw Failure(what_ + ": more than " + std::to_string(deepest_json) + " lists and objects lie in each other");
    }
    charge(bytes);
    Json& opened = place();
    opened = std::move(value);
    open_.push_back(&opened);
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  std::size_t read_ = 0;
  const std::string& what_;
  Json root_{};
  std::vector<Json*> open_{};
  Json* member_ = nullptr;  ///< whose value comes next
};

}  // namespace

nlohmann::json parse_json(std::string_view text, const std::string& what) {
  JsonReader reader(text.size(), what);
  if (!Json::sax_parse(text, &reader)) throw Failure(what + ": not JSON: " + place_of(text, reader.read()));
  return reader.take();
}

}  // namespace heed::tools
