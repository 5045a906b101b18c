#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_runner.sh <source folder>: what runner.sh counts, says and ends with, by configurations that take no time.
. "$(dirname "$0")/begin.sh"
source=$(cd "$1" && pwd)
mkdir -p "$work/tree/tests/support"
cd "$work/tree"
cp "$source/tests/support/runner.sh" tests/support
echo 'echo fine' > good.sh
echo 'echo wrong; exit 1' > bad.sh
echo 'echo skipped; exit 77' > absent.sh
cat > tests/try.sh << 'TRY'
. "$(dirname "$0")/support/runner.sh"
configurations() {
  script good good.sh
  script bad bad.sh
  script absent absent.sh
  skip left 'there is none'
}
if [ "${1:-}" = --list ]; then list_all configurations; exit; fi
run_all configurations "$@"; exit
TRY

# ends <code> <last line> [name...]
ends() {
  code=$1
  last=$2
  shift 2
  result=0
  sh tests/try.sh "$@" > "$work/log" 2>&1 || result=$?
  [ $result = "$code" ] || fail "ends with $result, not $code: $*"
  [ "$(tail -n 1 "$work/log")" = "$last" ] || fail "the last line is not '$last': $*"
}
[ "$(sh tests/try.sh --list | tr '\n' ' ')" = 'good bad absent left ' ] || fail 'another list'
ends 1 '1 passed, 1 failed, 2 skipped'
for place in 1/4 2/4 3/4 4/4; do said "^$place, "; done
said 'no estimate: some have not run here before'
said wrong
ends 0 '1 passed, 0 failed, 1 skipped' good left
said 'about 0 s left'
ends 1 '0 passed, 0 failed, 1 skipped' absent
ends 2 'tests/try.sh: other: --list has the names' good other
echo 'counts, places, estimates and ends are right'
