# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# How run.sh, changed.sh and everything.sh run configurations, two at a time: . tests/support/runner.sh, a function that
# calls, for one after the other,
#   configuration <name> <preset> <targets> <ctest's selection> [cmake option...]
#   script <name> <script>        one test; 77 means skipped
#   compile <name> <preset> <why it cannot run>
#   skip <name> <why>
# and then `run_all <function> [name...]`, which runs those named, or all. One line a configuration, with its place and
# its time, and what failed in full. On a terminal a line below them says what is running and how
# much is left, by the times of the last run. The last line is the sum, and the end 0 if one passed and none failed.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root" || exit 1
processors=$(getconf _NPROCESSORS_ONLN 2> /dev/null || echo 2)
# What one configuration does alone, such as to link or to end a long test, leaves no processor idle.
places=$((processors > 1 ? 2 : 1))
state=$root/build/tests/state
durations=$root/build/tests/durations
mode=list
wanted=

# install_packages <purposes>...: what the configurations need.
install_packages() {
  for purposes in "$@"; do
    # shellcheck disable=SC2086 # the purposes are meant to be split
    sh toolchains/install.sh $purposes || echo "$0: going on with what is there" >&2
  done
}

is_listed() { grep -qx -- "$1" "$state/listed"; }

is_wanted() {
  [ -z "$wanted" ] && return 0
  case " $wanted " in *" $1 "*) return 0 ;; *) return 1 ;; esac
}

# begins <name>: false where it is only listed, or not wanted.
begins() {
  if [ $mode = list ]; then
    echo "$1" >> "$state/listed"
    return 1
  fi
  is_wanted "$1"
}

configuration() { begins "$1" && beside run_configuration "$@"; }
script() { begins "$1" && beside run_script "$@"; }
compile() { begins "$1" && beside run_compile "$@"; }
skip() { begins "$1" && beside run_skip "$@"; }

# beside <function> <name> <argument>...: beside what is running, once there is room.
beside() {
  while [ "$running" = "$places" ]; do await; done
  running=$((running + 1))
  echo "$2 $(date +%s)" >> "$state/started"
  show_progress
  {
    "$@" > "$state/$2.printed" 2>&1 9>&-
    echo "$2" >&9
  } &
}

# await: the end of a configuration, whose lines are printed, or a second.
await() {
  read -r ended <&9
  if [ "$ended" != tick ]; then
    running=$((running - 1))
    finished=$((finished + 1))
    seconds=$(($(date +%s) - $(sed -n "s/^$ended //p" "$state/started")))
    echo "$ended" >> "$state/ended"
    { grep -v "^$ended " "$durations"; echo "$ended $seconds"; } > "$state/durations" 2> /dev/null
    mv "$state/durations" "$durations"
    if [ -n "$terminal" ]; then printf '\r\033[K'; fi
    if [ -z "$terminal" ]; then printf '%s: ' "$(place)"; fi
    cat "$state/$ended.printed"
  fi
  show_progress
}

# left_over: what the last run took for what has not ended, in seconds by the clock.
left_over() {
  awk -v now="$(date +%s)" -v places="$places" '
    FILENAME ~ /durations$/ { took[$1] = $2; next }
    FILENAME ~ /started$/ { began[$1] = $2; next }
    FILENAME ~ /ended$/ { ended[$1] = 1; next }
    !($1 in ended) {
      if (!($1 in took)) unknown = 1
      left = took[$1] - ($1 in began ? now - began[$1] : 0)
      if (left < 0) left = 0
      sum += left
      if (left > longest) longest = left
    }
    END {
      if (unknown) print "no estimate: some have not run here before"
      else printf "about %d s left\n", (sum / places > longest ? sum / places : longest)
    }' "$durations" "$state/started" "$state/ended" "$state/chosen"
}

place() { echo "$finished/$total, $(($(date +%s) - began)) s, $(left_over)"; }

show_progress() {
  [ -n "$terminal" ] || return 0
  names=$(awk 'FILENAME ~ /ended$/ { ended[$1] = 1; next } !($1 in ended) { printf " %s", $1 }' "$state/ended" \
    "$state/started")
  printf '\r\033[K%s:%s' "$(place)" "$names"
}

# list_all <function>: the names, one a line.
list_all() {
  state=$(mktemp -d)
  mode=list
  "$1"
  cat "$state/listed"
  rm -r "$state"
}

# run_all <function> [name...]
run_all() {
  list=$1
  shift
  wanted=$*
  mkdir -p build/tests
  rm -rf "$state"
  mkdir "$state" || exit 1
  touch "$state/listed" "$state/started" "$state/ended" "$state/results" "$durations"
  mode=list
  $list
  for name in $wanted; do
    grep -qx -- "$name" "$state/listed" || { echo "$0: $name: --list has the names" >&2; exit 2; }
  done
  while read -r name; do if is_wanted "$name"; then echo "$name"; fi; done < "$state/listed" > "$state/chosen"
  total=$(wc -l < "$state/chosen")
  finished=0
  running=0
  began=$(date +%s)
  terminal=
  if [ -t 1 ]; then terminal=yes; fi
  mkfifo "$state/messages" || exit 1
  exec 9<> "$state/messages"
  # shellcheck disable=SC2046 # one argument for each process
  trap 'kill $(jobs -p) 2> /dev/null; exit 130' INT TERM
  ticker=
  if [ -n "$terminal" ]; then
    while sleep 1; do echo tick; done >&9 &
    ticker=$!
  fi
  mode=run
  $list
  while [ $running != 0 ]; do await; done
  if [ -n "$ticker" ]; then kill $ticker; printf '\r\033[K'; fi
  wait
  sum_up
}

sum_up() {
  processor_time "$state/times"
  echo "$(($(date +%s) - began)) s, $used s of processor time"
  read -r passed failed skipped << SUM
$(awk '{ for (n = 1; n <= 3; ++n) sum[n] += $n } END { print sum[1] + 0, sum[2] + 0, sum[3] + 0 }' "$state/results")
SUM
  if [ "$skipped" = 0 ]; then
    echo "$passed passed, $failed failed"
  else
    echo "$passed passed, $failed failed, $skipped skipped"
  fi
  [ "$failed" = 0 ] && [ "$passed" != 0 ]
}

# count <passed> <failed> <skipped>
count() { echo "$@" >> "$state/results"; }

# attribute <name> <file>: a number from the head of ctest's own summary in JUnit's form.
attribute() {
  head -c 2000 "$2" | tr '\n\t' '  ' | sed -n "s/.*<testsuite [^>]* $1=\"\([0-9]*\)\".*/\1/p"
}

# broken <configuration> <what>: counts a configuration that cannot be tested as one failure, and shows why.
broken() {
  count 0 1 0
  printf '%-22s does not %s\n' "$1" "$2"
  cat "$build/run.log"
}

# processor_time <file>: sets `used` to the seconds that the processors have spent on what this shell has started.
processor_time() {
  times > "$1"
  used=$(sed -n '2s/[ms]/ /gp' "$1" | LC_ALL=C awk '{ printf "%d", 60 * ($1 + $3) + $2 + $4 }')
}

run_configuration() {
  name=$1
  preset=$2
  target=$3
  selection=$4
  shift 4
  build=$root/build/tests/$name
  mkdir -p "$build"
  start=$(date +%s)
  summary=$build/summary.xml
  rm -f "$summary"
  if ! cmake --preset "$preset" -B "$build" "$@" > "$build/run.log" 2>&1; then broken "$name" configure; return; fi
  # shellcheck disable=SC2086 # the targets are meant to be split
  if ! cmake --build "$build" --target $target -j "$processors" > "$build/run.log" 2>&1; then
    broken "$name" build
    return
  fi
  # shellcheck disable=SC2086 # the selection is meant to be split
  ctest --test-dir "$build" -j "$processors" --output-on-failure --no-tests=error --output-junit "$summary" $selection \
    > "$build/run.log" 2>&1
  result=$?
  ran=$(attribute tests "$summary" 2> /dev/null)
  bad=$(attribute failures "$summary" 2> /dev/null)
  left=$(attribute skipped "$summary" 2> /dev/null)
  if [ "${ran:-0}" = 0 ] || [ -z "$bad" ] || [ -z "$left" ]; then broken "$name" 'run a test'; return; fi
  # A failure that the summary does not know is one all the same.
  if [ $result != 0 ] && [ "$bad" = 0 ]; then bad=1; fi
  good=$((ran - bad - left))
  count $good "$bad" "$left"
  processor_time "$build/times"
  printf '%-22s %4d passed, %d failed, %d skipped, %4d s, %4d s of processor time\n' \
    "$name" $good "$bad" "$left" $(($(date +%s) - start)) "$used"
  if [ "$bad" != 0 ]; then cat "$build/run.log"; fi
}

run_skip() {
  count 0 0 1
  printf '%-22s skipped: %s\n' "$1" "$2"
}

# The library and the check of the golden hashes, which counts as skipped.
run_compile() {
  build=$root/build/tests/$1
  mkdir -p "$build"
  # shellcheck disable=SC2086 # the options are meant to be split
  if ! cmake --preset "$2" -B "$build" $library $together > "$build/run.log" 2>&1; then
    broken "$1" configure
    return
  fi
  if ! cmake --build "$build" --target firmware_check port_check -j "$processors" > "$build/run.log" 2>&1; then
    broken "$1" build
    return
  fi
  count 0 0 1
  printf '%-22s compiles; skipped: %s\n' "$1" "$3"
}

run_script() {
  build=$root/build/tests/$1
  mkdir -p "$build"
  start=$(date +%s)
  result=0
  sh "$2" > "$build/run.log" 2>&1 || result=$?
  case $result in
    0) count 1 0 0 ;;
    77) count 0 0 1 ;;
    *) count 0 1 0; cat "$build/run.log" ;;
  esac
  printf '%-22s %s, %4d s\n' "$1" "$(tail -n 1 "$build/run.log")" $(($(date +%s) - start))
}
