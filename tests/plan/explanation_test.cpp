// SPDX-License-Identifier: MIT
//
// What explain() says of a refused configuration: the status of make_plan(), and a member that is to blame: another
// value of it, from the range that the explanation gives, brings another verdict.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <string>

#include "heed/heed.hpp"
#include "support/random.hpp"

namespace heed::test {
namespace {

static_assert(explain<AttentionPlan>(AttentionConfig{.head_dim = 8}).status == Status::ok);
static_assert(explain<AttentionPlan>(AttentionConfig{.heads = 70000, .head_dim = 8}).most == max_dimension);

template <class Config>
using Members = std::map<std::string, std::function<void(Config&, double)>>;

/// A configuration in one object: that of a block or a model has two parts.
template <class Config>
struct WithMemory {
  Config config{};
  BlockMemory memory{};
};

/// A setter of a member of any type.
template <class Config, class Member>
auto of(Member Config::*member) {
  return [member](Config& config, double value) {
    if constexpr (std::is_enum_v<Member>) {
      config.*member = static_cast<Member>(static_cast<std::uint32_t>(value));
    } else if constexpr (std::is_same_v<Member, bool>) {
      config.*member = value != 0.0;
    } else {
      config.*member = static_cast<Member>(value);
    }
  };
}

/// A setter of a member of a part.
template <class Config, class Part, class Setter>
auto in(Part Config::*part, const Setter& set) {
  return [part, set](Config& config, double value) { set(config.*part, value); };
}

[[nodiscard]] double any_value(Random& random) {
  constexpr double values[] = {0,   1,     2,     3,          4,          5,          6,           7,
                               8,   16,    17,    64,         65,         100,        65536,       65537,
                               1e9, 1e-30, 1e-10, 1073741824, 1073741825, 2147483647, 4294967295.0};
  // Most configurations have a few bad members, not all of them.
  return values[random.between(0, 2) == 0 ? random.between(0, 22) : random.between(1, 6)];
}

template <class Config, class Explain, class Plan>
void expect_guilty_members(const Members<Config>& members, const Config& good, const Explain& ask, const Plan& plan,
                           std::size_t named) {
  ASSERT_EQ(ask(good).status, Status::ok);
  Random random(31);
  std::set<std::string> seen;
  for (int round = 0; round < 20000; ++round) {
    Config config = good;
    const std::uint32_t changes = random.between(1, 4);
    for (std::uint32_t i = 0; i < changes; ++i) {
      auto member = members.begin();
      std::advance(member, random.between(0, static_cast<std::uint32_t>(members.size() - 1)));
      member->second(config, any_value(random));
    }
    const Explanation why = ask(config);
    ASSERT_EQ(why.status, plan(config));
    if (why.status == Status::ok) continue;
    if (*why.member == '\0') {
      ASSERT_EQ(why.status, Status::too_large);
      ASSERT_NE(*why.rule, '\0');
      continue;
    }
    const auto guilty = members.find(why.member);
    ASSERT_NE(guilty, members.end()) << why.member;
    seen.insert(why.member);
    ASSERT_LE(why.least, why.most) << why.member;
    ASSERT_TRUE(why.value < why.least || why.value > why.most || *why.rule != '\0') << why.member << ' ' << why.value;
    bool another = false;
    for (const double value : {why.least, why.most, (why.least + why.most) / 2}) {
      Config mended = config;
      guilty->second(mended, value);
      const Explanation after = ask(mended);
      another = another || after.status != why.status || std::string(after.member) != why.member;
    }
    ASSERT_TRUE(another) << why.member << ' ' << why.value << ", " << why.least << " to " << why.most;
  }
  EXPECT_GE(seen.size(), named);
}

/// explain() and make_plan() of a configuration in one part.
template <class Plan, class Config>
void expect_guilty_members(const Members<Config>& members, const Config& good, std::size_t named) {
  expect_guilty_members(
      members, good, [](const Config& config) { return explain<Plan>(config); },
      [](const Config& config) {
        Plan plan;
        return make_plan(config, plan);
      },
      named);
}

template <class Plan, class Config>
void expect_guilty_members(const Members<WithMemory<Config>>& members, const WithMemory<Config>& good,
                           std::size_t named) {
  expect_guilty_members(
      members, good, [](const WithMemory<Config>& both) { return explain<Plan>(both.config, both.memory); },
      [](const WithMemory<Config>& both) {
        Plan plan;
        return make_plan(both.config, both.memory, plan);
      },
      named);
}

template <class Config>
Members<Config> members_of_caches() {
  return {{"max_sequences", of(&Config::max_sequences)}, {"kv_heads", of(&Config::kv_heads)},
          {"head_dim", of(&Config::head_dim)},           {"value_dim", of(&Config::value_dim)},
          {"max_keys", of(&Config::max_keys)},           {"key_type", of(&Config::key_type)},
          {"value_type", of(&Config::value_type)},       {"ring", of(&Config::ring)},
          {"sink_tokens", of(&Config::sink_tokens)}};
}

template <class Config>
Members<Config> members_of_layers() {
  Members<Config> members{{"model_dim", of(&Config::model_dim)},           {"heads", of(&Config::heads)},
                          {"kv_input_dim", of(&Config::kv_input_dim)},     {"output_dim", of(&Config::output_dim)},
                          {"weight_type", of(&Config::weight_type)},       {"workers", of(&Config::workers)},
                          {"scratch_budget", of(&Config::scratch_budget)}, {"max_pages", of(&Config::max_pages)}};
  members.merge(members_of_caches<Config>());
  return members;
}

TEST(Explanation, OfAttentionCachesAndLinearLayers) {
  expect_guilty_members<AttentionPlan, AttentionConfig>({{"heads", of(&AttentionConfig::heads)},
                                                         {"kv_heads", of(&AttentionConfig::kv_heads)},
                                                         {"head_dim", of(&AttentionConfig::head_dim)},
                                                         {"value_dim", of(&AttentionConfig::value_dim)},
                                                         {"max_keys", of(&AttentionConfig::max_keys)},
                                                         {"workers", of(&AttentionConfig::workers)}},
                                                        {.head_dim = 8}, 6);
  expect_guilty_members<KvCachePlan, KvCacheConfig>(members_of_caches<KvCacheConfig>(), {.head_dim = 8, .max_keys = 4},
                                                    8);
  expect_guilty_members<LinearPlan, LinearConfig>({{"inputs", of(&LinearConfig::inputs)},
                                                   {"outputs", of(&LinearConfig::outputs)},
                                                   {"type", of(&LinearConfig::type)}},
                                                  {.inputs = 4, .outputs = 4}, 3);
}

TEST(Explanation, OfLayers) {
  expect_guilty_members<MultiHeadPlan, MultiHeadConfig>(members_of_layers<MultiHeadConfig>(),
                                                        {.model_dim = 8, .heads = 2, .max_keys = 16}, 15);
}

TEST(Explanation, OfRotaryPositions) {
  expect_guilty_members<RotaryPlan, RotaryConfig>(
      {{"head_dim", of(&RotaryConfig::head_dim)},
       {"rotary_dim", of(&RotaryConfig::rotary_dim)},
       {"base", of(&RotaryConfig::base)},
       {"layout", of(&RotaryConfig::layout)},
       {"scaling", of(&RotaryConfig::scaling)},
       {"scaling_factor", of(&RotaryConfig::scaling_factor)},
       {"beta_fast", of(&RotaryConfig::beta_fast)},
       {"beta_slow", of(&RotaryConfig::beta_slow)},
       {"high_freq_factor", of(&RotaryConfig::high_freq_factor)},
       {"low_freq_factor", of(&RotaryConfig::low_freq_factor)},
       {"attention_factor", of(&RotaryConfig::attention_factor)},
       {"max_position", of(&RotaryConfig::max_position)},
       {"original_max_position", of(&RotaryConfig::original_max_position)}},
      {.head_dim = 8, .scaling = RotaryScaling::llama3, .original_max_position = 4096}, 12);
}

template <class Config>
Members<WithMemory<Config>> members_of_memory() {
  using Both = WithMemory<Config>;
  const auto member = [](auto pointer) { return in(&Both::memory, of(pointer)); };
  return {{"rows", member(&BlockMemory::rows)},
          {"max_keys", member(&BlockMemory::max_keys)},
          {"max_cross_keys", member(&BlockMemory::max_cross_keys)},
          {"sink_tokens", member(&BlockMemory::sink_tokens)},
          {"workers", member(&BlockMemory::workers)},
          {"key_type", member(&BlockMemory::key_type)},
          {"value_type", member(&BlockMemory::value_type)},
          {"cross_type", member(&BlockMemory::cross_type)},
          {"ring", member(&BlockMemory::ring)}};
}

Members<BlockConfig> members_of_blocks() {
  return {{"model_dim", of(&BlockConfig::model_dim)},
          {"heads", of(&BlockConfig::heads)},
          {"kv_heads", of(&BlockConfig::kv_heads)},
          {"head_dim", of(&BlockConfig::head_dim)},
          {"mlp_dim", of(&BlockConfig::mlp_dim)},
          {"cross_dim", of(&BlockConfig::cross_dim)},
          {"norm_epsilon", of(&BlockConfig::norm_epsilon)},
          {"weight_type", of(&BlockConfig::weight_type)},
          {"norm", of(&BlockConfig::norm)},
          {"norm_placement", of(&BlockConfig::norm_placement)},
          {"activation", of(&BlockConfig::activation)},
          {"qk_norm", of(&BlockConfig::qk_norm)},
          {"score_softcap", of(&BlockConfig::score_softcap)}};
}

TEST(Explanation, OfBlocks) {
  using Both = WithMemory<BlockConfig>;
  Members<Both> members = members_of_memory<BlockConfig>();
  for (const auto& [name, set] : members_of_blocks()) members[name] = in(&Both::config, set);
  const Both good{{.model_dim = 8, .heads = 2, .cross_dim = 5}, {.rows = 3, .max_keys = 4, .max_cross_keys = 4}};
  expect_guilty_members<BlockPlan>(members, good, 20);
}

TEST(Explanation, OfModels) {
  using Both = WithMemory<ModelConfig>;
  Members<Both> members = members_of_memory<ModelConfig>();
  for (const auto& [name, set] : members_of_blocks()) {
    members[name] = in(&Both::config, in(&ModelConfig::block, set));
  }
  const auto add = [&](const char* name, auto pointer) { members[name] = in(&Both::config, of(pointer)); };
  add("blocks", &ModelConfig::blocks);
  add("input_dim", &ModelConfig::input_dim);
  add("max_positions", &ModelConfig::max_positions);
  add("outputs", &ModelConfig::outputs);
  add("embedding_scale", &ModelConfig::embedding_scale);
  add("rotary_base", &ModelConfig::rotary_base);
  add("rotary_dim", &ModelConfig::rotary_dim);
  add("rotary_layout", &ModelConfig::rotary_layout);
  add("input_type", &ModelConfig::input_type);
  add("head_type", &ModelConfig::head_type);
  add("input", &ModelConfig::input);
  add("positions", &ModelConfig::positions);
  add("pooling", &ModelConfig::pooling);
  add("class_token", &ModelConfig::class_token);
  add("encoder", &ModelConfig::encoder);
  add("tied_head", &ModelConfig::tied_head);
  add("without_final_norm", &ModelConfig::without_final_norm);
  add("window", &ModelConfig::window);
  add("full_every", &ModelConfig::full_every);
  add("local_rotary_base", &ModelConfig::local_rotary_base);
  add("rotary_skip_every", &ModelConfig::rotary_skip_every);
  add("rotary_scaling", &ModelConfig::rotary_scaling);
  add("rotary_factor", &ModelConfig::rotary_factor);
  add("rotary_original_positions", &ModelConfig::rotary_original_positions);
  add("rotary_beta_fast", &ModelConfig::rotary_beta_fast);
  add("rotary_beta_slow", &ModelConfig::rotary_beta_slow);
  add("rotary_high_factor", &ModelConfig::rotary_high_factor);
  add("rotary_low_factor", &ModelConfig::rotary_low_factor);
  add("rotary_attention_factor", &ModelConfig::rotary_attention_factor);
  add("relative_buckets", &ModelConfig::relative_buckets);
  add("relative_distance", &ModelConfig::relative_distance);
  add("registers", &ModelConfig::registers);
  add("token_types", &ModelConfig::token_types);
  add("output_softcap", &ModelConfig::output_softcap);
  add("pooler", &ModelConfig::pooler);
  add("norm_after_pooling", &ModelConfig::norm_after_pooling);
  const Both good{{.block = {.model_dim = 8, .heads = 2, .cross_dim = 5},
                   .blocks = 2,
                   .input_dim = 9,
                   .max_positions = 7,
                   .positions = Positions::rotary},
                  {.rows = 3, .max_keys = 4, .max_cross_keys = 4}};
  expect_guilty_members<ModelPlan>(members, good, 50);
}

}  // namespace
}  // namespace heed::test
