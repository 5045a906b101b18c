#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_errors.sh <docs/quantization.md> <quantization_error_test>: every table row that the test prints is on the page,
# and the page has no other row of the kind. Without the data of KWT-1 the test does not print its rows.
set -eu
page=$1
test=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2086 # the emulator's options are meant to be split
${HEED_EMULATOR:-} "$test" > "$work/log" || { cat "$work/log"; exit 1; }
sed -n 's/^| \(normal\|KWT-1\) |/&/p' "$work/log" > "$work/printed"
data='normal'
if grep -q '^| KWT-1 |' "$work/printed"; then data='normal\|KWT-1'; fi
grep "^| \($data\) |" "$page" > "$work/stated" || true
if ! [ -s "$work/printed" ] || ! diff "$work/stated" "$work/printed"; then
  echo "$page states (<) something else than $test prints (>)" >&2
  exit 1
fi
echo "$(wc -l < "$work/printed") rows compared"
