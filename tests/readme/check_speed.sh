#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_speed.sh <docs/speed.md> <heed_speed>: the page shows what the speed summary prints, but for the
# measured numbers.
. "$(dirname "$0")/../support/begin.sh"
page=$1
speed=$2
. "$(dirname "$0")/blocks.sh"
# A measured number stands before its unit; a busy machine may leave no quiet round.
mask() {
  sed 's/[0-9.]\+ \(us\|GFLOP\/s\|GB\/s\|%\|of [0-9]* rounds\)/# \1/g; s/[0-9]\+ rounds/# rounds/
    s/, no quiet round$//; s/port [a-z0-9_]*/port/; s/  *//g'
}
"$speed" | mask > "$work/printed"
awk -v folder="$work" -f "$(dirname "$0")/extract.awk" "$page"
block=$(grep -l '^Speed of attention' "$work"/*.text)
mask < "$block" > "$work/shown"
diff "$work/shown" "$work/printed" || fail "$page shows something else (<) than is printed (>)"
ran "$block"
echo "$(wc -l < "$work/printed") lines compared"
