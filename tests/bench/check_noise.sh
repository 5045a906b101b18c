#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_noise.sh <heed_goals>: repetitions with a peak per clock below 90 % of the best are not counted, and what has no
# others is noisy, unless it does not depend on time. A goal may be a port's own; one that its limit misses is beyond it.
. "$(dirname "$0")/../support/begin.sh"
goals=$1

cat > "$work/goals.json" << 'END'
{"units": {},
 "list": [
  {"case": "quiet", "counter": "share", "at_least": 80, "benchmarks": ["quiet", "slow", "noisy", "unmarked"]},
  {"case": "own", "counter": "share", "at_least": {"narrow": 84, "others": 90}, "benchmarks": ["quiet"]},
  {"case": "of others", "counter": "share", "at_least": {"row": 1, "others": 91}, "benchmarks": ["quiet"]},
  {"case": "within", "counter": "share", "at_least": 89, "limit": "size", "benchmarks": ["quiet"]},
  {"case": "beyond", "counter": "share", "at_least": 92, "limit": "size", "benchmarks": ["quiet"]},
  {"case": "exact", "counter": "size", "at_most": 96, "timed": false, "benchmarks": ["noisy"]}]}
END

# repetition <benchmark> <share> <peak of the round in FLOP/s> <per clock> <the best so far>
repetition() {
  printf '{"run_name": "%s", "run_type": "iteration", "share": %s, "size": 90, "round_peak": %s,
    "round_peak_per_clock": %s, "best_peak_per_clock": %s},\n' "$@"
}
{
  echo '{"context": {"cpu": "a processor, port narrow", "date": "2000-01-01"}, "benchmarks": ['
  # Quiet by the best so far, not by that of the whole run.
  repetition quiet 10 80e9 80 80
  repetition quiet 85 91e9 91 95
  repetition quiet 87 99e9 99 100
  repetition quiet 20 89e9 89 100
  # At a slow clock.
  repetition slow 70 50e9 95 100
  repetition noisy 95 120e9 60 100
  echo '{"run_name": "unmarked", "run_type": "iteration", "share": 99}]}'
} > "$work/results.json"
"$goals" "$work/goals.json" list "$work/results.json" > "$work/printed"

# expect <line>, whose words may stand further apart
expect() {
  tr -s ' ' < "$work/printed" | grep -qF -e "$1" || {
    cat "$work/printed"
    fail "does not say: $1"
  }
}
expect '>= 80 86.0 87.0 share pass'
expect '>= 84 86.0 87.0 share pass'
expect '>= 91 86.0 87.0 share miss'
expect '>= 89 86.0 87.0 share miss (limit 90.0)'
expect '>= 92 86.0 87.0 share beyond (limit 90.0)'
expect '>= 80 70.0 70.0 share miss'
expect '>= 80 95.0 95.0 share noisy'
expect '>= 80 99.0 99.0 share noisy'
expect '<= 96 90.0 90.0 size pass'
expect '3 pass, 3 miss, 1 beyond their limit, 2 noisy; 3 of 7 rounds were quiet, at a peak of 50.0 GFLOP/s to 99.0 GFLOP/s'
echo '10 lines found'
