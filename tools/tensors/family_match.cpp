// SPDX-License-Identifier: MIT
#include "tensors/family_match.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "support/failure.hpp"

namespace heed::tools {

namespace {

struct Candidate {
  const ModelFamily* family;
  std::string prefix;
  std::size_t found = 0;     ///< weights that the file has under the family's names
  std::size_t weights = 0;   ///< and all that the family has
  std::string missing = {};  ///< the first one that the file does not have
};

const FamilyName* name_of(const ModelFamily& family, std::string_view role) {
  for (const FamilyName& name : family.names) {
    if (role == name.role) return &name;
  }
  return nullptr;
}

std::string tensor_of(const Candidate& candidate, const FamilyName& name) {
  return with_block(with_prefix(name.pattern, candidate.prefix), 0);
}

Candidate count_names(const ModelFamily& family, const std::string& prefix, const WeightFile& file) {
  Candidate candidate{&family, prefix};
  for (const FamilyName& name : family.names) {
    if (std::string_view(name.role).ends_with("_bias")) continue;
    ++candidate.weights;
    const std::string tensor = tensor_of(candidate, name);
    if (file.has(tensor)) {
      ++candidate.found;
    } else if (candidate.missing.empty()) {
      candidate.missing = tensor;
    }
  }
  return candidate;
}

/// With the prefix after which the file has most of the family's names.
Candidate count_names(const ModelFamily& family, const std::optional<std::string>& prefix, const WeightFile& file) {
  if (prefix) return count_names(family, *prefix, file);
  Candidate best{&family, ""};
  for (const char* usual : family.prefixes) {
    const Candidate candidate = count_names(family, std::string(usual), file);
    if (usual == family.prefixes.front() || candidate.found > best.found) best = candidate;
  }
  return best;
}

constexpr const char* matrix_roles[] = {"qkv", "up", "output", "down"};

/// The shape of a matrix of block 0; empty if the file has none there.
Shape matrix_shape(const Candidate& candidate, const char* role, const WeightFile& file) {
  const FamilyName* const name = name_of(*candidate.family, role);
  if (name == nullptr || !file.has(tensor_of(candidate, *name))) return {};
  const Shape shape = file.shape(tensor_of(candidate, *name));
  return shape.size() == 2 ? shape : Shape{};
}

const char* layout_of(const FamilyName& name) {
  return name.transposed ? "[in, out]" : "[out, in]";
}

/// A norm before the rows of block 0 with another width than model_dim; empty if there is none.
std::string other_width(const Candidate& candidate, std::size_t dim, const WeightFile& file) {
  const FamilyName* const name = name_of(*candidate.family, "mlp_norm");
  if (name == nullptr || !file.has(tensor_of(candidate, *name))) return {};
  const Shape shape = file.shape(tensor_of(candidate, *name));
  if (shape.size() != 1 || shape.front() == dim) return {};
  return tensor_of(candidate, *name) + ' ' + describe(shape) + ": rows are " + std::to_string(shape.front()) +
         " wide in the file, and " + std::to_string(dim) + " is said";
}

/// A matrix that reads or writes rows of model_dim and is stored the other way round than the family has it, unless
/// model_dim is wrong.
std::string turned_matrix(const Candidate& candidate, std::size_t dim, const WeightFile& file) {
  for (const char* role : matrix_roles) {
    const Shape shape = matrix_shape(candidate, role, file);
    if (shape.empty()) continue;
    const FamilyName& name = *name_of(*candidate.family, role);
    const bool reads = std::string_view(role) == "qkv" || std::string_view(role) == "up";
    const std::size_t place = reads == name.transposed ? 0 : 1;
    if (shape[place] == dim || shape[1 - place] != dim) continue;
    if (const std::string wide = other_width(candidate, dim, file); !wide.empty()) return wide;
    return tensor_of(candidate, name) + ' ' + describe(shape) + ": the family " + candidate.family->name +
           " has its matrices as " + layout_of(name);
  }
  return {};
}

/// What is taken for granted where all matrices are square.
std::string layout_assumption(const Candidate& candidate, const WeightFile& file) {
  std::string assumption;
  for (const char* role : matrix_roles) {
    const Shape shape = matrix_shape(candidate, role, file);
    if (shape.empty()) continue;
    if (shape[0] != shape[1]) return {};
    assumption = std::string("matrices, all square, are ") + layout_of(*name_of(*candidate.family, role));
  }
  return assumption;
}

bool same_names(const ModelFamily& left, const ModelFamily& right) {
  return std::equal(left.names.begin(), left.names.end(), right.names.begin(), right.names.end(),
                    [](const FamilyName& a, const FamilyName& b) { return std::string_view(a.pattern) == b.pattern; });
}

/// Another family with the same names, before which this prefix stands as usual, and not before the candidate's; null
/// if there is none.
const ModelFamily* owner_of_prefix(const Candidate& candidate) {
  const auto usual = [&](const ModelFamily& family) {
    return std::any_of(family.prefixes.begin(), family.prefixes.end(),
                       [&](const char* prefix) { return candidate.prefix == prefix; });
  };
  if (usual(*candidate.family)) return nullptr;
  for (const ModelFamily& family : model_families()) {
    if (usual(family) && same_names(family, *candidate.family)) return &family;
  }
  return nullptr;
}

/// A table of token types with another number of rows than the family has; empty if it is right.
std::string wrong_token_types(const Candidate& candidate, const WeightFile& file) {
  const ModelFamily& family = *candidate.family;
  if (family.token_types == TokenTypes::any) return {};
  const std::string types = tensor_of(candidate, *name_of(family, "token_types"));
  if (!file.has(types)) return {};
  const Shape shape = file.shape(types);
  if (shape.empty() || (shape.front() == 1) == (family.token_types == TokenTypes::one)) return {};
  return types + ' ' + describe(shape) + ": the family " + family.name + " has " +
         (family.token_types == TokenTypes::one ? "one token type" : "several token types");
}

/// What in the file is not as in the family; empty if nothing is.
std::string contradiction(const Candidate& candidate, const ModelConfig& config, const WeightFile& file) {
  const ModelFamily& family = *candidate.family;
  const std::string turned = turned_matrix(candidate, config.block.model_dim, file);
  if (!turned.empty()) return turned;
  if (const ModelFamily* const owner = owner_of_prefix(candidate); owner != nullptr) {
    return tensor_of(candidate, family.names.front()) + ": this is a name of the family " + owner->name + ", not of " +
           family.name;
  }
  return wrong_token_types(candidate, file);
}

bool same_facts(const ModelFamily& left, const ModelFamily& right) {
  return std::equal(left.facts.begin(), left.facts.end(), right.facts.begin(), right.facts.end(),
                    [](const FamilyFact& a, const FamilyFact& b) {
                      return std::string_view(a.member) == b.member &&
                             std::equal(a.words.begin(), a.words.end(), b.words.begin(), b.words.end(),
                                        [](const char* x, const char* y) { return std::string_view(x) == y; });
                    });
}

/// Whether it makes no difference which of two families the same tensors are of.
bool same_model(const ModelFamily& left, const ModelFamily& right) {
  const auto turned = [](const ModelFamily& family) {
    return std::any_of(family.names.begin(), family.names.end(),
                       [](const FamilyName& name) { return name.transposed; });
  };
  return left.skipped_positions == right.skipped_positions && turned(left) == turned(right) && same_facts(left, right);
}

/// Those of which the file has most names, and more than half.
std::vector<Candidate> likely_families(const FamilyRequest& request, const WeightFile& file, std::string& nearest) {
  std::vector<Candidate> likely;
  Candidate best{nullptr, ""};
  std::size_t most = 0;
  for (const ModelFamily& family : model_families()) {
    const Candidate candidate = count_names(family, request.prefix, file);
    if (candidate.found > best.found) best = candidate;
    if (2 * candidate.found <= candidate.weights || candidate.found < most) continue;
    if (candidate.found > most) likely.clear();
    most = candidate.found;
    likely.push_back(candidate);
  }
  if (best.found != 0) nearest = std::string(best.family->name) + " is nearest, but there is no " + best.missing;
  return likely;
}

Candidate only_one(const std::vector<Candidate>& likely, const ModelConfig& config, const WeightFile& file,
                   const std::string& what) {
  std::vector<Candidate> left;
  for (const Candidate& candidate : likely) {
    if (contradiction(candidate, config, file).empty()) left.push_back(candidate);
  }
  if (left.empty()) return likely.front();
  for (const Candidate& candidate : left) {
    if (same_model(*left.front().family, *candidate.family)) continue;
    throw Failure(what + ": family: " + left.front().family->name + " or " + candidate.family->name +
                  " is needed: both have these names, and the file does not tell");
  }
  return left.front();
}

/// The family with this name.
const ModelFamily& family_named(const std::string& name, const std::string& what) {
  for (const ModelFamily& family : model_families()) {
    if (name == family.name) return family;
  }
  throw Failure(what + ": family: one of " + known_families() + ", or none, is needed");
}

/// A decoder's names need to know what its cross-attention reads.
void require_cross_dim(const Candidate& candidate, const ModelConfig& config, const WeightFile& file,
                       const std::string& what) {
  if (name_of(*candidate.family, "cross_output") == nullptr || config.block.cross_dim != 0) return;
  std::string width;
  for (const char* role : {"cross_qkv", "cross_key"}) {
    const std::string tensor = tensor_of(candidate, *name_of(*candidate.family, role));
    if (!file.has(tensor)) continue;
    const Shape shape = file.shape(tensor);
    if (shape.size() == 2) width = ", here " + std::to_string(shape[1]);
  }
  throw Failure(what + ": block.cross_dim: the family " + candidate.family->name +
                " needs it, the width of what its cross-attention reads" + width);
}

}  // namespace

std::string with_prefix(std::string_view pattern, const std::string& prefix) {
  return pattern.starts_with('@') ? prefix + std::string(pattern.substr(1)) : std::string(pattern);
}

std::string with_block(const std::string& pattern, std::uint32_t block) {
  const std::size_t at = pattern.find("{}");
  return at == std::string::npos ? pattern : pattern.substr(0, at) + std::to_string(block) + pattern.substr(at + 2);
}

FamilyMatch match_family(const FamilyRequest& request, const ModelConfig& config, const WeightFile& file,
                         const std::string& what) {
  Candidate chosen{nullptr, ""};
  std::string nearest;
  if (request.family && *request.family != "none") {
    chosen = count_names(family_named(*request.family, what), request.prefix, file);
    if (chosen.found == 0) {
      throw Failure(what + ": family: the file has none of the names of " + *request.family + ", such as " +
                    chosen.missing);
    }
  } else if (!request.family) {
    const std::vector<Candidate> likely = likely_families(request, file, nearest);
    if (!likely.empty()) chosen = only_one(likely, config, file, what);
  }
  if (chosen.family == nullptr) {
    if (request.prefix) throw Failure(what + ": prefix: the file has no family's names behind it");
    return {nullptr, "", nearest, ""};
  }
  if (const std::string wrong = contradiction(chosen, config, file); !wrong.empty()) {
    throw Failure(file.name() + ": tensor " + wrong);
  }
  for (const FamilyRefusal& refusal : chosen.family->refused) {
    const std::string tensor = with_block(with_prefix(refusal.pattern, chosen.prefix), 0);
    if (file.has(tensor)) throw Failure(file.name() + ": tensor " + tensor + ": " + refusal.reason);
  }
  require_cross_dim(chosen, config, file, what);
  return {chosen.family, chosen.prefix, "", layout_assumption(chosen, file)};
}

FamilyMatch match_prefix(const ModelFamily& family, std::uint32_t model_dim, const WeightFile& file) {
  const Candidate candidate = count_names(family, std::nullopt, file);
  if (candidate.found == 0) {
    throw Failure(file.name() + ": there are none of the names of " + family.name + ", such as " + candidate.missing);
  }
  if (const std::string wrong = turned_matrix(candidate, model_dim, file); !wrong.empty()) {
    throw Failure(file.name() + ": tensor " + wrong);
  }
  if (const std::string wrong = wrong_token_types(candidate, file); !wrong.empty()) {
    throw Failure(file.name() + ": tensor " + wrong);
  }
  return {&family, candidate.prefix, "", ""};
}

}  // namespace heed::tools
