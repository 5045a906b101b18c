// SPDX-License-Identifier: MIT
//
// What the configurations of all architectures have in common.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "architectures/published_config.hpp"
#include "architectures/published_model.hpp"

namespace heed::tools {

/// Members that every configuration may have: some are refused unless they have their usual value, the others change no
/// result here.
void leave_common_members(PublishedConfig& config);

/// The same of a decoder, whatever `is_decoder` says.
void leave_decoder_members(PublishedConfig& config);

/// The class named by `architectures`, which has to be this one; where none is named, it is taken.
[[nodiscard]] std::string take_class(PublishedConfig& config, const std::string& needed);

/// The word of an activation, "gelu_new", in this library's; a Failure that names the member.
[[nodiscard]] std::string activation_of(const PublishedConfig& config, const char* member, const std::string& word);

/// How many layers there are, of which some members are lists.
std::uint32_t take_layers(PublishedConfig& config, const char* member, std::uint32_t by_default);

/// A number that is positive.
double take_positive(PublishedConfig& config, const char* member, double by_default);

/// Names of tensors that a family has no longer, by role; "_bias" is one of all of them that end so.
void remove_names(ModelFamily& family, std::initializer_list<std::string_view> roles);

/// Multiplies a weight and its bias, after `added` on each number of the weight.
void fold(ModelFamily& family, std::string_view role, double scale, double added = 0.0);

/// All names have to be in the file, but for one of the two tables where the head is tied: the library leaves out
/// either.
void require_names(ModelFamily& family, bool tied_head);

}  // namespace heed::tools
