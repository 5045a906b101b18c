#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Packages: libxsimd-dev 8.1.0 (Debian 12); g++ 12.2 for AArch64 and QEMU 7.2, which computes as the architecture says.
# Expected: a / b and sqrt(a) of batch<float> are the instructions fdiv and fsqrt of AArch64, exact as those for one
#   float, as they are on x86-64.
# Seen: they are estimates with Newton steps, as ARMv7 needs them. Of a million pairs from 1 to 2 four in ten
#   quotients and three in ten roots are not the nearest float. sqrt(infinity) is NaN, and 1 / 1e-40 is -infinity.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
# With all that they depend on, but for the C library of the machine.
mkdir -p "$work/packages/partial"
apt-get -qq -y --download-only --no-install-recommends -o APT::Sandbox::User=root -o Debug::NoLocking=1 \
  -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/packages" install \
  libxsimd-dev=8.1.0-7 g++-12-aarch64-linux-gnu=12.2.0-14cross1 qemu-user-static=1:7.2+dfsg-7+deb12u18+b3 > "$work/log"
rm "$work"/packages/libc6_*
for package in "$work"/packages/*.deb; do dpkg -x "$package" "$work"; done
cat > "$work/run.cpp" <<'END'
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <xsimd/xsimd.hpp>
using Batch = xsimd::batch<float>;
static Batch load(const float* four) { return Batch::load_unaligned(four); }
int main() {
  std::uint32_t state = 1;
  const auto next = [&] { return 1 + ((state = state * 1664525 + 1013904223) >> 9) / 8388608.0f; };
  int quotients = 0, roots = 0;
  double error = 0;
  for (int i = 0; i < 250000; ++i) {
    float a[4], b[4], quotient[4], root[4];
    for (int j = 0; j < 4; ++j) a[j] = next(), b[j] = next();
    (load(a) / load(b)).store_unaligned(quotient);
    sqrt(load(a)).store_unaligned(root);
    for (int j = 0; j < 4; ++j) {
      quotients += quotient[j] != a[j] / b[j];
      roots += root[j] != std::sqrt(a[j]);
      error = std::fmax(error, std::fabs(quotient[j] * double(b[j]) / a[j] - 1));
    }
  }
  const float ones[4] = {1, 1, 1, 1}, few[4] = {INFINITY, 1e-40f, 1, 2};
  float root[4], inverse[4];
  sqrt(load(few)).store_unaligned(root);
  (load(ones) / load(few)).store_unaligned(inverse);
  std::printf("not the nearest of 1000000: %d quotients (at most %.1f * 2^-24 off), %d roots\n", quotients,
              error * 16777216, roots);
  std::printf("sqrt(infinity) = %g, 1 / 1e-40 = %g\nexpected: 0, 0, inf, inf\n", root[0], inverse[1]);
  return !(quotients > 333333 && roots > 250000 && std::isnan(root[0]) && inverse[1] == -INFINITY);
}
END
export LD_LIBRARY_PATH="$work/usr/lib/x86_64-linux-gnu:$work/lib/x86_64-linux-gnu"
"$work/usr/bin/aarch64-linux-gnu-g++-12" -O2 -ffp-contract=off -static \
  -I "$work/usr/include" "$work/run.cpp" -o "$work/run"
"$work/usr/bin/qemu-aarch64-static" "$work/run"
