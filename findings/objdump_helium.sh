#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Package: binutils-arm-none-eabi 2.40 (Debian 12).
# Expected: objdump decodes an object file for the architecture that its attributes name, as readelf -A reads them:
#   v8.1-M.mainline with MVE. So vldrw.u32 q0, [r0] is printed as such, or nothing of MVE is.
# Seen: vfma.f32 of vectors is printed, but vector loads are "ldc" and multiply-accumulates of integers "cdp", those
#   of a coprocessor, until the command line says -marmv8.1-m.main. Counting MVE instructions in a dump counts wrong.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
# With all that they depend on, but for the C library of the machine.
mkdir -p "$work/packages/partial"
apt-get -qq -y --download-only --no-install-recommends -o APT::Sandbox::User=root -o Debug::NoLocking=1 \
  -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/packages" install \
  binutils-arm-none-eabi=2.40-2+18+b1 > "$work/log"
rm "$work"/packages/libc6_*
for package in "$work"/packages/*.deb; do dpkg -x "$package" "$work"; done
export LD_LIBRARY_PATH="$work/usr/lib/x86_64-linux-gnu:$work/lib/x86_64-linux-gnu"
printf '%s\n' 'vldrw.u32 q0, [r0]' 'vfma.f32 q0, q1, q2' 'vmla.s32 q0, q1, r2' |
  "$work/usr/bin/arm-none-eabi-as" -march=armv8.1-m.main+mve.fp -o "$work/run.o"
"$work/usr/bin/arm-none-eabi-readelf" -A "$work/run.o" | grep -E 'Tag_(CPU|MVE)_arch:'
names() { "$work/usr/bin/arm-none-eabi-objdump" -d "$@" "$work/run.o" | awk '/^ +[0-9a-f]+:/ { printf "%s ", $4 }'; }
plain=$(names) told=$(names -marmv8.1-m.main)
printf 'objdump -d: %s\nobjdump -d -marmv8.1-m.main: %s\n' "$plain" "$told"
echo 'expected: vldrw.u32 vfma.f32 vmla.s32 for both'
[ "$plain" = 'ldc vfma.f32 cdp ' ] && [ "$told" = 'vldrw.u32 vfma.f32 vmla.s32 ' ]
