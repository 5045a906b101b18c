// SPDX-License-Identifier: MIT
#include "heed/model.hpp"

#include "model/model.hpp"

namespace heed {

template class TransformerModel<FloatKvCache>;

}  // namespace heed
