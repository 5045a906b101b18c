#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Package: gcc-arm-none-eabi 12.2 (Debian 12) for Cortex-M55.
# Expected: with -ffp-contract=fast a * b + c is a fused multiply-add on a core that has one for floats and for vectors,
#   or at least all elements of one array are computed in one way.
# Seen: gcc makes none of the vector's. y[i] += a * x[i], vectorized, is vmul and vadd, and the elements left over, n
#   modulo 4, are vfma: the same numbers can have other bits in the last places than in the first. a * b + c of vectors
#   written as such is vmul and vadd, too.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
# With all that they depend on, but for the C library of the machine.
mkdir -p "$work/packages/partial"
apt-get -qq -y --download-only --no-install-recommends -o APT::Sandbox::User=root -o Debug::NoLocking=1 \
  -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/packages" install \
  gcc-arm-none-eabi=15:12.2.rel1-1 > "$work/log"
rm "$work"/packages/libc6_*
for package in "$work"/packages/*.deb; do dpkg -x "$package" "$work"; done
cat > "$work/one.c" <<'END'
float one(float a, float b, float c) { return a * b + c; }
END
cat > "$work/vector.c" <<'END'
typedef float Four __attribute__((vector_size(16)));
Four vector(Four a, Four b, Four c) { return a * b + c; }
END
cat > "$work/array.c" <<'END'
void array(float* restrict y, const float* restrict x, float a, int n) {
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
}
END
count() {
  LD_LIBRARY_PATH="$work/usr/lib/x86_64-linux-gnu:$work/lib/x86_64-linux-gnu" "$work/usr/bin/arm-none-eabi-gcc" -S \
    -Ofast -ffp-contract=fast -mcpu=cortex-m55 -mfloat-abi=hard -o "$work/$1.s" "$work/$1.c"
  for name in 'vfma.f32.*s' 'vmul.f32.*q' 'vadd.f32.*q' 'vfma.f32.*q'; do
    printf ' %s' "$(grep -c "$name" "$work/$1.s" || true)"
  done
}
seen="one:$(count one), vector:$(count vector), array:$(count array)"
echo "vfma of floats; vmul, vadd, vfma of vectors: $seen"
echo 'expected: no vmul and vadd; vfma of vectors for "vector" and "array"'
case $seen in 'one: 1 0 0 0, vector: 0 1 1 0, array: '[1-9]' 1 1 0') ;; *) exit 1 ;; esac
