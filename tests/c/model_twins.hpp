// SPDX-License-Identifier: MIT
//
// A model of the C interface beside the same of C++, from the same file.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <vector>

#include "heed/heed.h"
#include "model/random_model.hpp"
#include "support/cases.hpp"
#include "support/threads.hpp"

namespace heed::test {

/// The calls of C for a model over either cache.
struct FloatModelOfC {
  using Cache = FloatKvCache;
  heed_model_plan plan{};
  heed_model model{};
  static constexpr auto make_plan = heed_plan_model;
  static constexpr auto init = heed_model_init;
  static constexpr auto bind = heed_model_bind;
  static constexpr auto prefill = heed_model_prefill;
  static constexpr auto decode = heed_model_decode;
  static constexpr auto encode_tokens = heed_model_encode_tokens;
  static constexpr auto encode_frames = heed_model_encode_frames;
  static constexpr auto set_context = heed_model_set_context;
  static constexpr auto tokens = heed_model_tokens;
  static constexpr auto truncate = heed_model_truncate;
  static constexpr auto observe = heed_model_observe;
};

struct KvModelOfC {
  using Cache = KvCache;
  heed_kv_model_plan plan{};
  heed_kv_model model{};
  static constexpr auto make_plan = heed_plan_kv_model;
  static constexpr auto init = heed_kv_model_init;
  static constexpr auto bind = heed_kv_model_bind;
  static constexpr auto prefill = heed_kv_model_prefill;
  static constexpr auto decode = heed_kv_model_decode;
  static constexpr auto encode_tokens = heed_kv_model_encode_tokens;
  static constexpr auto encode_frames = heed_kv_model_encode_frames;
  static constexpr auto set_context = heed_kv_model_set_context;
  static constexpr auto tokens = heed_kv_model_tokens;
  static constexpr auto truncate = heed_kv_model_truncate;
  static constexpr auto observe = heed_kv_model_observe;
};

/// What an observer has seen, one number after the other.
using Seen = std::vector<std::uint32_t>;

inline void keep(Seen& seen, std::uint32_t block, std::uint32_t stage, const float* values, std::uint32_t rows,
                 std::uint32_t columns) {
  seen.insert(seen.end(), {block, stage, rows, columns});
  for (std::size_t i = 0; i < std::size_t{rows} * columns; ++i) seen.push_back(std::bit_cast<std::uint32_t>(values[i]));
}

inline void see_of_cpp(void* context, std::uint32_t block, Stage stage, const float* values, std::uint32_t rows,
                       std::uint32_t columns) {
  keep(*static_cast<Seen*>(context), block, static_cast<std::uint32_t>(stage), values, rows, columns);
}

inline void see_of_c(void* context, std::uint32_t block, heed_stage stage, const float* values, std::uint32_t rows,
                     std::uint32_t columns) {
  keep(*static_cast<Seen*>(context), block, stage, values, rows, columns);
}

/// All formats, as C names them.
inline std::vector<const heed_weight_format*> c_formats() {
  return {heed_int4_group_weights(), heed_int8_group_weights(), heed_int8_weights(), heed_bfloat16_weights(),
          heed_float16_weights()};
}

/// Both models, bound to memories of just the right size. Every call is made of both, and must have the same status,
/// outputs and stages; with several workers, that of C runs on threads.
template <class C>
class ModelTwins {
 public:
  C c;
  ModelConfig config;
  BuiltModel<typename C::Cache> cpp;

  ModelTwins(AlignedBytes& model_file, const BlockMemory& memory)
      : config(read_model(model_file.span()).config), cpp(model_file.span(), memory), file_(&model_file) {
    heed_model_config c_config{};
    const char* field = nullptr;
    EXPECT_EQ(heed_read_model(file_->span().data(), file_->span().size(), &c_config, &field), HEED_OK);
    EXPECT_STREQ(field, "");
    EXPECT_EQ(std::memcmp(&c_config, &config, sizeof config), 0);
    const auto c_memory = std::bit_cast<heed_block_memory>(memory);
    EXPECT_EQ(C::make_plan(&c_config, &c_memory, &c.plan), HEED_OK);
    EXPECT_EQ(std::memcmp(&c.plan, &cpp.plan, sizeof c.plan), 0);
    state_ = AlignedBytes(c.plan.state_bytes);
    scratch_ = AlignedBytes(c.plan.scratch_bytes);
    EXPECT_EQ(start(C::init), HEED_OK);
    cpp.model.observe({&seen_of_cpp_, see_of_cpp});
    C::observe(&c.model, &observer_);
  }

  /// init or bind, with less of each memory where that is asked for.
  [[nodiscard]] heed_status start(auto* call, std::size_t less_state = 0, std::size_t less_scratch = 0,
                                  std::size_t less_file = 0, std::size_t format_count = 5) {
    const heed_packed_model packed{file_->span().data(), file_->span().size() - less_file, formats_.data(),
                                   format_count};
    return call(&c.model, &c.plan, state_.span().data(), state_.span().size() - less_state, scratch_.span().data(),
                scratch_.span().size() - less_scratch, &packed);
  }

  Status prefill(const std::vector<std::uint32_t>& tokens, bool output = true) {
    return both([&](float* to) { return cpp.model.prefill(tokens, to); },
                [&](float* to) { return C::prefill(&c.model, tokens.data(), tokens.size(), to, executor()); }, output,
                tokens.size());
  }
  Status decode(std::uint32_t token, bool output = true) {
    return both([&](float* to) { return cpp.model.decode(token, to); },
                [&](float* to) { return C::decode(&c.model, token, to, executor()); }, output, 1);
  }
  Status encode(const std::vector<std::uint32_t>& tokens, bool output = true) {
    return both([&](float* to) { return cpp.model.encode(tokens, to); },
                [&](float* to) { return C::encode_tokens(&c.model, tokens.data(), tokens.size(), to, executor()); },
                output, tokens.size());
  }
  Status encode(const ConstMatrix& frames, std::uint32_t count, bool output = true) {
    const auto c_frames = std::bit_cast<heed_const_matrix>(frames);
    return both([&](float* to) { return cpp.model.encode(frames, count, to); },
                [&](float* to) { return C::encode_frames(&c.model, c_frames, count, to, executor()); }, output,
                std::size_t{count} + 1);
  }
  Status set_context(const ConstMatrix& rows, std::uint32_t count) {
    const auto c_rows = std::bit_cast<heed_const_matrix>(rows);
    return both([&](float* /*to*/) { return cpp.model.set_context(rows, count); },
                [&](float* /*to*/) { return C::set_context(&c.model, c_rows, count, executor()); }, false, 0);
  }
  Status truncate(std::uint32_t length) {
    return both([&](float* /*to*/) { return cpp.model.truncate(length); },
                [&](float* /*to*/) { return C::truncate(&c.model, length); }, false, 0);
  }

 private:
  template <class CallOfCpp, class CallOfC>
  Status both(const CallOfCpp& call_of_cpp, const CallOfC& call_of_c, bool output, std::size_t rows) {
    const std::size_t width = config.outputs != 0 ? config.outputs : config.block.model_dim;
    std::vector<float> expected(output ? (rows + 1) * width : 0, -7.0F);
    std::vector<float> got = expected;
    seen_of_cpp_.clear();
    seen_of_c_.clear();
    const Status status = call_of_cpp(output ? expected.data() : nullptr);
    const heed_status c_status = call_of_c(output ? got.data() : nullptr);
    EXPECT_EQ(static_cast<int>(c_status), static_cast<int>(status)) << to_string(status);
    EXPECT_TRUE(same_bits(got, expected));
    EXPECT_EQ(seen_of_c_, seen_of_cpp_);
    EXPECT_TRUE(status == Status::ok || seen_of_c_.empty()) << to_string(status);
    EXPECT_EQ(C::tokens(&c.model), cpp.model.tokens());
    EXPECT_EQ(std::memcmp(state_.span().data(), cpp.state.span().data(), c.plan.state_bytes), 0);
    return status;
  }

  [[nodiscard]] const heed_executor* executor() const { return c.plan.block.memory.workers > 1 ? &threads_ : nullptr; }

  AlignedBytes* file_;
  AlignedBytes state_{0}, scratch_{0};
  std::vector<const heed_weight_format*> formats_ = c_formats();
  Seen seen_of_cpp_, seen_of_c_;
  heed_executor threads_ = std::bit_cast<heed_executor>(thread_per_task());
  heed_stage_observer observer_{&seen_of_c_, see_of_c};
};

}  // namespace heed::test
