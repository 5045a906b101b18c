// SPDX-License-Identifier: MIT
#pragma once

#include "peer.hpp"
#include "product_case.hpp"

namespace heed::bench {

/// oneDNN's product of int8 by int8. `rounded_before`: x was rounded beforehand, and no call has to.
[[nodiscard]] Peer onednn_product_peer(const ProductCase& same, bool rounded_before);

}  // namespace heed::bench
