#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_speed.sh <docs/speed.md> <heed_speed>: the page shows the lines that the speed summary prints, but for the
# measured numbers.
set -eu
page=$1
speed=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A measured number stands before its unit; a busy machine may leave no quiet round.
mask() {
  sed 's/[0-9.]\+ \(us\|GFLOP\/s\|GB\/s\|%\|of [0-9]* rounds\)/# \1/g; s/[0-9]\+ rounds/# rounds/
    s/, no quiet round$//; s/ were quiet, at a peak of .*/ were quiet/; s/port [a-z0-9_]*/port/; s/  *//g'
}
"$speed" | mask > "$work/printed"
awk '/^```/ { inside = !inside; next } inside' "$page" | mask > "$work/shown"
while IFS= read -r line; do
  grep -qxF -e "$line" "$work/shown" || { echo "$page does not show: $line"; exit 1; }
done < "$work/printed"
[ -s "$work/printed" ]
echo "$(wc -l < "$work/printed") lines compared"
