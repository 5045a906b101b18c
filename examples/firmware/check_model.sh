#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_model.sh <expected> <size> <kibibytes of flash> <of RAM> <bytes of stack> <image> [emulator...]: the image ends
# with 0 and prints what the desktop printed, besides its line of figures, and is no larger than that. <size> is the
# tool that knows an image's size, or `none` for a program that has an operating system's.
set -eu
expected=$1
size=$2
flash_limit=$3
ram_limit=$4
stack_limit=$5
image=$6
shift 6
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
code=0
"$@" "$image" > "$work/console" || code=$?
cat "$work/console"
[ $code = 0 ] || { echo "check_model.sh: ended with $code"; exit 1; }
grep -v '^instructions ' "$work/console" > "$work/shown"
diff "$expected" "$work/shown" || { echo 'check_model.sh: the desktop printed something else'; exit 1; }
[ "$size" != none ] || exit 0

# What is in flash: code, constants, and the initial values of variables. In RAM: variables and the stack.
"$size" "$image" | awk 'NR == 2 { print $1 + $2, $2 + $3 }' > "$work/size"
read -r flash ram < "$work/size"
stack=$(sed -n 's/^instructions .*; bytes of stack \([0-9]*\)$/\1/p' "$work/console")
echo "flash $flash of $((flash_limit * 1024)), RAM $ram of $((ram_limit * 1024)), stack $stack of $stack_limit"
[ "$flash" -le $((flash_limit * 1024)) ] && [ "$ram" -le $((ram_limit * 1024)) ] && [ "$stack" -gt 0 ] &&
  [ "$stack" -le "$stack_limit" ]
