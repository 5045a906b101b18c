#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Package: llvm-14 14.0.6 (Debian 12): llvm-mca.
# Expected: a core that llvm-mca knows by name (-mcpu) is estimated by a model of that core, or refused.
# Seen: twelve cores from Cortex-A72 to X2, Neoverse N1, N2 and V1 get, without a word, the report of Cortex-A57, a core
#   of 2012, which has half the vector units of X1 and V1. So do Cortex-A510 and R82 get that of A55, Neoverse E1 that
#   of A53, and Cortex-M33, M35P and M55 that of M4.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
# With all that they depend on, but for the C library of the machine.
mkdir -p "$work/packages/partial"
apt-get -qq -y --download-only --no-install-recommends -o APT::Sandbox::User=root -o Debug::NoLocking=1 \
  -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/packages" install llvm-14=1:14.0.6-12 > "$work/log"
rm "$work"/packages/libc6_*
for package in "$work"/packages/*.deb; do dpkg -x "$package" "$work"; done
cat > "$work/aarch64.s" <<'END'
fmla v0.4s, v28.4s, v29.4s
fmla v1.4s, v28.4s, v29.4s
sdot v2.4s, v28.16b, v29.16b
fdiv v3.4s, v28.4s, v29.4s
ldr q4, [x0], #16
END
cat > "$work/thumbv7em.s" <<'END'
ldr r0, [r1], #4
smlad r2, r0, r3, r2
vmla.f32 s0, s1, s2
END
report() {
  LD_LIBRARY_PATH="$work/usr/lib/x86_64-linux-gnu:$work/lib/x86_64-linux-gnu" "$work/usr/lib/llvm-14/bin/llvm-mca" \
    -mtriple="$1" -mattr="$2" -mcpu="$3" "$work/$1.s" > "$work/$3"
  printf '%s: %s cycles' "$3" "$(awk '/Total Cycles/ { print $3 }' "$work/$3")"
}
status=0
same() {
  triple=$1 features=$2 model=$3
  shift 3
  report "$triple" "$features" "$model"
  for core; do
    printf '; '
    report "$triple" "$features" "$core"
    cmp -s "$work/$model" "$work/$core" || { printf ', another report'; status=1; }
  done
  echo
}
same aarch64 +dotprod cortex-a57 cortex-a72 cortex-a73 cortex-a75 cortex-a76 cortex-a77 cortex-a78 cortex-a710 \
  cortex-x1 cortex-x2 neoverse-n1 neoverse-n2 neoverse-v1
same aarch64 +dotprod cortex-a55 cortex-a510 cortex-r82
same aarch64 +dotprod cortex-a53 neoverse-e1
same thumbv7em +vfp2 cortex-m4 cortex-m33 cortex-m35p cortex-m55
echo 'expected: a model of each core'
exit $status
