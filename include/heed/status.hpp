// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "heed/detail/language.hpp"
#include "heed/heed_types.h"

namespace heed {

/// One line of text for a status, in static storage.
[[nodiscard]] constexpr const char* to_string(Status status) noexcept {
  switch (status) {
    case Status::ok: return "ok";
    case Status::zero_dimension: return "a dimension or a count that must be at least 1 is 0";
    case Status::heads_not_divisible: return "heads is not a multiple of kv_heads, or does not divide model_dim";
    case Status::too_large:
      return "a dimension or a count exceeds its limit, or the sizes do not fit a 32-bit address space";
    case Status::bad_workers: return "workers exceeds the limit of 64";
    case Status::arena_too_small: return "a memory, packed weights or a file has fewer bytes than the plan says";
    case Status::arena_misaligned: return "a memory, packed weights or a file does not begin on a boundary of 64 bytes";
    case Status::null_pointer: return "a pointer that this call needs is null";
    case Status::bad_stride: return "an output stride is smaller than what it steps over, or a stride overflows";
    case Status::bad_length: return "a length or a selection exceeds what is there, or a table has another size";
    case Status::bad_scale: return "a scale is not a finite number, or outside its range";
    case Status::bad_option: return "an option has no such value, lies outside its range, or does not go with another";
    case Status::keys_exceed_plan: return "there are more keys than the plan's max_keys";
    case Status::cache_full: return "the key-value cache has no room for that many tokens";
    case Status::bad_sequence: return "a sequence does not exist in this cache, or is named twice";
    case Status::bad_token: return "a token id lies outside the embedding table";
    case Status::not_initialised: return "init() has not succeeded on this object";
    case Status::wrong_weights: return "the packed weights or the file were not made for this plan";
    case Status::bad_state: return "the memory to bind does not hold a state that this plan can have left";
    case Status::plan_mismatch: return "the plan does not fit this call, or another object in it";
    case Status::bad_base: return "the base of the positions is not a finite number above 1";
    case Status::bad_rotary: return "a dimension or factor of the rotary positions is outside its range";
    case Status::bad_position: return "a position lies beyond those of the table or of the model";
    case Status::ring_wrapped: return "a ring has overwritten tokens, and this call needs them or the order of time";
    case Status::not_empty: return "a sequence of the cache holds tokens, and this call needs an empty cache";
    case Status::not_finite: return "a key is NaN or infinite, which scales per channel cannot hold";
    case Status::bad_file: return "the bytes are not a model file, or not all of one";
    case Status::overlap: return "two of the memories or tensors given overlap";
    case Status::missing_format: return "no format given reads the type of these weights";
  }
  return "unknown status";
}

}  // namespace heed
