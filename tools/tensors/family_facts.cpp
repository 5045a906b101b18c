// SPDX-License-Identifier: MIT
#include "tensors/family_facts.hpp"

#include <algorithm>
#include <string_view>

#include "support/failure.hpp"

namespace heed::tools {

namespace {

nlohmann::json::json_pointer place_of(const std::string& member) {
  std::string path = '/' + member;
  std::replace(path.begin(), path.end(), '.', '/');
  return nlohmann::json::json_pointer(path);
}

/// Booleans and enumerators alike.
std::string word_of(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

nlohmann::json value_of(const std::string& word) {
  return word == "true" || word == "false" ? nlohmann::json(word == "true") : nlohmann::json(word);
}

}  // namespace

bool says(const nlohmann::json& json, const std::string& member) {
  return json.contains(place_of(member));
}

std::vector<std::string> complete(nlohmann::json& json, const ModelFamily& family, const std::string& what) {
  std::vector<std::string> taken;
  for (const FamilyFact& fact : family.facts) {
    const std::string where = what + ": " + fact.member + ": ";
    std::string words;
    for (const char* word : fact.words) words += (words.empty() ? "" : " or ") + std::string(word);
    if (says(json, fact.member)) {
      const std::string said = word_of(json.at(place_of(fact.member)));
      if (std::find(fact.words.begin(), fact.words.end(), std::string_view(said)) != fact.words.end()) continue;
      throw Failure(where + said + " is said, and the family " + family.name + " has " + words +
                    R"( ("family": "none" takes all names from "tensors"))");
    }
    if (fact.words.size() > 1) {
      throw Failure(where + words + " is needed: models of the family " + family.name +
                    " differ, and the file does not tell");
    }
    json[place_of(fact.member)] = value_of(words);
    taken.push_back(std::string(fact.member) + ' ' + words);
  }
  return taken;
}

}  // namespace heed::tools
