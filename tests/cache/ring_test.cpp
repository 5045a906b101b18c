// SPDX-License-Identifier: MIT
//
// Rings: which token lies in which slot, over many laps, and what may be forgotten.
#include <gtest/gtest.h>

#include "cache/kv_cache_cases.hpp"
#include "heed/cache.hpp"

namespace heed::test {
namespace {

/// Which token each slot holds, by carrying out the definition token by token.
class NaiveRing {
 public:
  explicit NaiveRing(const KvCacheConfig& config) : config_(config) {}

  void append() {
    const std::uint32_t t = tokens_++;
    const std::uint32_t kept = config_.sink_tokens;
    const std::uint32_t slot = t < kept ? t : kept + (t - kept) % (config_.max_keys - kept);
    if (slot == slots_.size()) slots_.push_back(t);
    slots_.at(slot) = t;
  }

  [[nodiscard]] std::uint32_t tokens() const { return tokens_; }
  [[nodiscard]] const std::vector<std::uint32_t>& slots() const { return slots_; }

 private:
  KvCacheConfig config_;
  std::uint32_t tokens_ = 0;
  std::vector<std::uint32_t> slots_;
};

void expect_slots(const KvCache& cache, const NaiveRing& naive) {
  ASSERT_EQ(cache.tokens(0), naive.tokens());
  ASSERT_EQ(cache.length(0), naive.slots().size());
  for (std::uint32_t slot = 0; slot < naive.slots().size(); ++slot) {
    ASSERT_EQ(cache.position(0, slot), naive.slots()[slot]) << "slot " << slot << " after " << naive.tokens();
  }
}

/// A key whose channels tell its token: exact as float32, and as int8 with a scale of 2^-7 (a channel is 127/128).
void tell(std::uint32_t token, std::uint32_t dim, float* key) {
  key[0] = 127.0F / 128.0F;
  for (std::uint32_t d = 1; d < dim; ++d) key[d] = static_cast<float>(token >> (6 * (d - 1)) & 63) / 128.0F;
}

std::uint32_t told(std::uint32_t dim, const float* key) {
  std::uint32_t token = 0;
  for (std::uint32_t d = 1; d < dim; ++d) token |= static_cast<std::uint32_t>(key[d] * 128.0F) << (6 * (d - 1));
  return token;
}

void expect_contents(const KvCache& cache, const NaiveRing& naive) {
  const Expanded floats = expanded(cache, 0, 0);
  for (std::uint32_t slot = 0; slot < naive.slots().size(); ++slot) {
    ASSERT_EQ(told(4, floats.keys.data() + std::size_t{slot} * 4), naive.slots()[slot]);
    ASSERT_EQ(told(4, floats.values.data() + std::size_t{slot} * 16), naive.slots()[slot]);
  }
}

TEST(StoredRing, AHundredThousandTokensIn256Slots) {
  const KvCacheConfig config{1, 1, 4, 4, 256, /*sink_tokens=*/4, DataType::float32, DataType::int8, /*ring=*/1};
  StoredCase c(config);
  NaiveRing naive(config);
  Random random(21);
  std::vector<float> rows(300 * 4);
  while (naive.tokens() < 100000) {
    // One by one up to the second lap, then in chunks of up to more than the ring.
    const std::uint32_t count = naive.tokens() < 600 ? 1 : random.between(1, 300);
    for (std::uint32_t t = 0; t < count; ++t) tell(naive.tokens() + t, 4, rows.data() + std::size_t{t} * 4);
    const ConstTensor view = bhsd<const float>(rows.data(), 1, count, 4);
    ASSERT_EQ(c.cache.append(0, count, view, view), Status::ok);
    for (std::uint32_t t = 0; t < count; ++t) naive.append();
    expect_slots(c.cache, naive);
    expect_contents(c.cache, naive);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_TRUE(c.nothing_behind());
}

TEST(StoredRing, EveryShapeOfRing) {
  for (const std::uint32_t slots : {1U, 2U, 5U, 16U, 17U, 40U}) {
    for (const std::uint32_t kept : {0U, 1U, 4U, 15U, 16U, 39U}) {
      if (kept >= slots) continue;
      const KvCacheConfig config{1, 1, 4, 4, slots, kept, DataType::int8, DataType::float16, 1};
      StoredCase c(config);
      NaiveRing naive(config);
      for (std::uint32_t t = 0; t < 3 * slots + 2; ++t) {
        float key[4];
        tell(t, 4, key);
        const ConstTensor view = bhsd<const float>(key, 1, 1, 4);
        ASSERT_EQ(c.cache.append(0, 1, view, view), Status::ok);
        naive.append();
        expect_slots(c.cache, naive);
        expect_contents(c.cache, naive);
        if (testing::Test::HasFatalFailure()) return;
      }
      EXPECT_TRUE(c.nothing_behind());
    }
  }
}

TEST(StoredRing, ATokenChangesItsOwnSlotOnly) {
  Random random(22);
  for (KvCacheConfig config : every_storage({2, 2, 35, 18, 24})) {
    SCOPED_TRACE(name_of(config));
    config.ring = true;
    config.sink_tokens = 3;
    StoredCase c(config);
    std::vector<std::vector<Stored>> keys(24), values(24);
    for (std::uint32_t t = 0; t < 80; ++t) {
      const std::vector<float> key = random.normals(2 * 35);
      const std::vector<float> value = random.normals(2 * 18);
      const std::uint32_t slot = t < 3 ? t : 3 + (t - 3) % 21;
      for (const std::uint32_t sequence : {0U, 1U}) {
        // The other sequence holds nothing but the first tokens.
        if (sequence == 0 && t > 4) continue;
        ASSERT_EQ(c.cache.append(sequence, 1, bhsd(key.data(), 2, 1, 35), bhsd(value.data(), 2, 1, 18)), Status::ok);
      }
      keys[slot] = stored_row(config.key_type, key.data() + 35, 35, c.scales_of(1));
      values[slot] = stored_row(config.value_type, value.data() + 18, 18);
      ASSERT_EQ(c.cache.length(1), std::min(t + 1, 24U));
      for (std::uint32_t s = 0; s < c.cache.length(1); ++s) {
        for (std::uint32_t d = 0; d < 35; ++d) {
          ASSERT_EQ(bits_of(stored_key(c.cache, 1, 1, s, d).dequantized), bits_of(keys[s][d].dequantized));
        }
        for (std::uint32_t d = 0; d < 18; ++d) {
          ASSERT_EQ(bits_of(stored_value(c.cache, 1, 1, s, d).dequantized), bits_of(values[s][d].dequantized));
        }
      }
    }
    EXPECT_EQ(c.cache.tokens(0), 5U);
    EXPECT_TRUE(c.nothing_behind());
  }
}

TEST(StoredRing, ForgettingEndsWhereTokensAreOverwritten) {
  const KvCacheConfig config{1, 1, 4, 4, 20, 4, DataType::int8, DataType::int8, 1};
  for (std::uint32_t appended = 0; appended <= 45; ++appended) {
    for (std::uint32_t length = 0; length <= appended + 1; ++length) {
      StoredCase c(config);
      NaiveRing naive(config);
      std::vector<float> rows(60 * 4);
      for (std::uint32_t t = 0; t < 60; ++t) tell(t, 4, rows.data() + std::size_t{t} * 4);
      ConstTensor view = bhsd<const float>(rows.data(), 1, 60, 4);
      ASSERT_EQ(c.cache.append(0, appended, view, view), Status::ok);
      const bool possible = length == appended || (length < appended && (appended <= 20 || length <= 4));
      ASSERT_EQ(c.cache.truncate(0, length), possible ? Status::ok : Status::bad_length);
      if (!possible) continue;
      // What comes next is as if the forgotten tokens had never been.
      for (std::uint32_t t = 0; t < length; ++t) naive.append();
      expect_slots(c.cache, naive);
      view.data = rows.data() + std::size_t{length} * 4;
      ASSERT_EQ(c.cache.append(0, 13, view, view), Status::ok);
      for (std::uint32_t t = 0; t < 13; ++t) naive.append();
      expect_slots(c.cache, naive);
      expect_contents(c.cache, naive);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace heed::test
