#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Package: qemu-system-arm 7.2 (Debian 12), board mps2-an386.
# Expected: with -icount a guest's time is that of its instructions, 2^shift ns each, and any two runs are the same.
#   So the clock of semihosting (SYS_CLOCK, the clock() of newlib's rdimon) agrees with the board's timers.
# Seen: it is the processor time of QEMU itself. With shift=10 a loop of 32 million instructions takes 32.8 s by the
#   board's counter, as it should, and by SYS_CLOCK what the host needed, a few tenths.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
# With all that they depend on, but for the C library of the machine.
mkdir -p "$work/packages/partial"
apt-get -qq -y --download-only --no-install-recommends -o APT::Sandbox::User=root -o Debug::NoLocking=1 \
  -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/packages" install \
  qemu-system-arm=1:7.2+dfsg-7+deb12u18+b3 binutils-arm-none-eabi=2.40-2+18+b1 > "$work/log"
rm "$work"/packages/libc6_*
for package in "$work"/packages/*.deb; do dpkg -x "$package" "$work"; done
cat > "$work/run.s" <<'END'
  .syntax unified
  .thumb
  .word 0x20010000, start + 1
start:
  ldr r7, =0x40028014       @ the board's counter of hundredths of a second
  bl clock
  mov r4, r0
  ldr r6, [r7]
  ldr r1, =16000000
1: subs r1, #1
  bne 1b
  ldr r2, [r7]
  subs r6, r2, r6
  bl clock
  subs r4, r0, r4
  mov r0, r6
  bl write
  mov r0, r4
  bl write
  movs r0, #0x18            @ SYS_EXIT
  ldr r1, =0x20026
  bkpt 0xab
clock:
  movs r0, #0x10            @ SYS_CLOCK, in hundredths of a second
  movs r1, #0
  bkpt 0xab
  bx lr
write:                      @ r0 dots and the end of the line
  mov r5, r0
2: ldr r1, =dot
  cbnz r5, 3f
  adds r1, #1
3: movs r0, #3              @ SYS_WRITEC
  bkpt 0xab
  subs r5, #1
  bpl 2b
  bx lr
dot: .ascii ".\n"
END
export LD_LIBRARY_PATH="$work/usr/lib/x86_64-linux-gnu:$work/lib/x86_64-linux-gnu"
"$work/usr/bin/arm-none-eabi-as" -mcpu=cortex-m4 "$work/run.s" -o "$work/run.o"
"$work/usr/bin/arm-none-eabi-ld" -Ttext=0 -e 0 "$work/run.o" -o "$work/run"
"$work/usr/bin/qemu-system-arm" -M mps2-an386 -icount shift=10 -display none -monitor none -serial none \
  -semihosting-config enable=on,target=native -kernel "$work/run" > "$work/seen" 2>&1
board=$(awk 'NR == 1 { print length }' "$work/seen")
clock=$(awk 'NR == 2 { print length }' "$work/seen")
printf "hundredths of a second by the board's counter: %s, by SYS_CLOCK: %s\n" "$board" "$clock"
echo 'expected: 3277 for both'
# A host that needs half of the 33 seconds would not tell.
[ "$board" -ge 3275 ] && [ "$board" -le 3279 ] && [ "$clock" -lt 1600 ]
