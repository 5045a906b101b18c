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

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

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
  const std::string& what_;
  Json root_{};
  std::vector<Json*> open_{};
  Json* member_ = nullptr;  ///< whose value comes next
};

}  // namespace

nlohmann::json parse_json(std::string_view text, const std::string& what) {
  JsonReader reader(text.size(), what);
  return Json::sax_parse(text, &reader) ? reader.take() : Json(Json::value_t::discarded);
}

}  // namespace heed::tools
