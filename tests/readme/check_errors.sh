#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_errors.sh <docs/quantization.md> <program> <test> [<what>]: every table row that the test prints, of normal <what>
# and KWT-1 <what>, is on the page, and the page has no other row of the kind. Without the data of KWT-1 the test does
# not print its rows.
. "$(dirname "$0")/../support/begin.sh"
page=$1
test=$3
what=${4:+ $4}
# shellcheck disable=SC2086 # the emulator's options are meant to be split
${HEED_EMULATOR:-} "$2" "$test" > "$work/log" || { cat "$work/log"; exit 1; }
sed -n "s/^| \(normal\|KWT-1\)$what |/&/p" "$work/log" > "$work/printed"
data='normal'
if grep -q "^| KWT-1$what |" "$work/printed"; then data='normal\|KWT-1'; fi
grep "^| \($data\)$what |" "$page" > "$work/stated" || true
if ! [ -s "$work/printed" ] || ! diff "$work/stated" "$work/printed"; then
  echo "$page states (<) something else than $test prints (>)" >&2
  exit 1
fi
echo "$(wc -l < "$work/printed") rows compared"
