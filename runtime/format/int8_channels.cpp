// SPDX-License-Identifier: MIT
#include "cache/channel_scales.hpp"
#include "format/format_of.hpp"

namespace heed::detail {
namespace {

[[nodiscard]] constexpr Format int8_by_channel() noexcept {
  Format format = keys_of<Int8Steps>(DataType::int8_channels);
  add_storing<nullptr, nullptr, store_int8_channels>(format);
  format.may_be = may_be_channel_scales;
  format.channel_scales = &channel_scales;
  return format;
}

}  // namespace
}  // namespace heed::detail

constexpr heed_format heed_int8_channel_keys = heed::detail::int8_by_channel();
