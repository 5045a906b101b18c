#!/bin/sh
# SPDX-License-Identifier: MIT
#
# draw_classes.sh [--measure] PICTURE.svg: draws prefill with each port for x86-64 that this machine can run, and what
# the emulators count on the other targets. What has not been measured yet is measured first, with --measure everything
# again: about five minutes for a port.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
again=false
if [ "${1:-}" = --measure ]; then
  again=true
  shift
fi
[ $# = 1 ] || { echo 'usage: draw_classes.sh [--measure] PICTURE.svg' >&2; exit 2; }
best=$(basename "$(sh "$root/toolchains/host.sh" gcc)" -gcc.cmake)
ports=$best
case $best in
  x86_avx2) ;;
  x86_avx*) ports="$best x86_avx2" ;;
esac

measured=
for port in $ports; do
  results=$root/build/bench/results-$port.json
  if [ $again = true ] || [ ! -f "$results" ]; then
    echo "draw_classes.sh: measuring with $port: about 5 minutes" >&2
    HEED_HOST_PORT=$port sh "$root/bench/run.sh" > /dev/null
    mv "$root/build/bench/results.json" "$results"
  fi
  measured="$measured $results"
done
cmake --build "$root/build/bench" --target heed_draw_classes > /dev/null
# The list of results is meant to be split.
# shellcheck disable=SC2086
"$root/build/bench/bench/heed_draw_classes" "$root/tests/figures/expected.tsv" "$1" $measured
