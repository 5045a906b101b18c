// SPDX-License-Identifier: MIT
#include "peer.hpp"

namespace heed::bench {

Peer local_peer(std::string name, PeerKind kind, const Work& work, Call call, const float* output,
                std::size_t output_size) {
  call();
  return {.name = std::move(name),
          .kind = kind,
          .seconds = [work, call](double seconds) { return seconds_per_call(call, calls_within(seconds, work)); },
          .output = std::vector<float>(output, output + output_size)};
}

}  // namespace heed::bench
