#!/bin/sh
# SPDX-License-Identifier: MIT
#
# draw.sh [--measure] PICTURE.svg: draws what bench/run.sh and bench/peers/run.sh have measured, in a second; what has not
# been measured yet is measured first, with --measure everything again: about three minutes each.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
again=false
if [ "${1:-}" = --measure ]; then
  again=true
  shift
fi
[ $# = 1 ] || { echo 'usage: draw.sh [--measure] PICTURE.svg' >&2; exit 2; }
start=$(date +%s)

# measure <script> <its results>
measure() {
  if [ $again = false ] && [ -f "$2" ]; then return; fi
  echo "draw.sh: sh $1 measures; about 3 minutes, after a build of 2" >&2
  sh "$root/$1"
}

measure bench/run.sh "$root/build/bench/results.json"
measure bench/peers/run.sh "$root/build/peers/results.json"
cmake --build "$root/build/bench" --target heed_draw > /dev/null
"$root/build/bench/bench/heed_draw" "$root/build/bench/results.json" "$root/build/peers/results.json" "$1"
echo "draw.sh: $1, after $(($(date +%s) - start)) s" >&2
