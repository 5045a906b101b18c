// SPDX-License-Identifier: MIT
//
// What every machine must compute. The numbers change only when the meaning of a result changes; the check prints the
// ones it found.
#pragma once

#include <cstdint>

namespace heed::test {

inline constexpr std::uint64_t golden_attention = 0xB48EBB03663A93C1U;
inline constexpr std::uint64_t golden_attention_wide = 0x5FE2BEF1F14046DBU;
inline constexpr std::uint64_t golden_layers = 0x82532ADAAE3F17FBU;
inline constexpr std::uint64_t golden_ring_layers = 0x6A626A2DC305ACA2U;
inline constexpr std::uint64_t golden_linear = 0x3DA7D9AAE13E06B0U;
inline constexpr std::uint64_t golden_integers = 0x7C900CC124E30F40U;
inline constexpr std::uint64_t golden_integer_layers = 0xB7A9B492EF654001U;
inline constexpr std::uint64_t golden_integer_models = 0xD31F81BF17106384U;
inline constexpr std::uint64_t golden_extended_models = 0x84D7A7FD7276C43EU;
inline constexpr std::uint64_t golden_extended_ends = 0x065A59A2954DE864U;
inline constexpr std::uint64_t golden_rotary = 0x5DC86C8E1FFF16ACU;
inline constexpr std::uint64_t golden_options = 0xBFC3DFFC333A11D5U;
inline constexpr std::uint64_t golden_stored = 0xCBE345D7E90D7F0DU;
inline constexpr std::uint64_t golden_rings = 0x1503C4C7FDF25FE2U;
inline constexpr std::uint64_t golden_special = 0xCBFF79457942FA34U;
inline constexpr std::uint64_t golden_model = 0x74C95912418E9397U;
inline constexpr std::uint64_t golden_exp2 = 0x6B59DCB214956C36U;

}  // namespace heed::test
