#!/bin/sh
# SPDX-License-Identifier: MIT
#
# draw.sh PICTURE.svg: draws what bench/run.sh and bench/peers/run.sh have measured.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
[ $# = 1 ] || { echo 'usage: draw.sh PICTURE.svg' >&2; exit 2; }
for results in "$root/build/bench/results.json" "$root/build/peers/results.json"; do
  if [ ! -f "$results" ]; then
    echo "draw.sh: there is no $results; run bench/run.sh and bench/peers/run.sh first" >&2
    exit 1
  fi
done
cmake --build "$root/build/bench" --target heed_draw > /dev/null
"$root/build/bench/bench/heed_draw" "$root/build/bench/results.json" "$root/build/peers/results.json" "$1"
